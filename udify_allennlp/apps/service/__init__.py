"""
Parsing over HTTP, with the REST interface of UDPipe
(https://lindat.mff.cuni.cz/services/udpipe/api-reference.php), and a page that shows trees.

HTTP itself is left to uvicorn and Starlette, forms to python-multipart (the extra `serve`): they
handle connection limits, keep-alive, clients that disconnect and graceful shutdown, which
`http.server` lacks. They are imported where they are used, so the rest of the package works without
them.
"""

from udify_allennlp.apps.service.batcher import Batcher, Busy
from udify_allennlp.apps.service.models import ServedModel, load_models
from udify_allennlp.apps.service.parameters import RequestError
from udify_allennlp.apps.service.process import Service

__all__ = ["Batcher", "Busy", "RequestError", "ServedModel", "Service", "load_models"]
