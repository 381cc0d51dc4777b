"""
Parsing over HTTP, with the REST interface of UDPipe
(https://lindat.mff.cuni.cz/services/udpipe/api-reference.php), and a page to look at trees.

HTTP itself is left to uvicorn and Starlette, forms to python-multipart (the extra `serve`): limits
of connections, keep-alive, clients that leave and a stop that lets work finish are theirs, where
`http.server` has none of it. They are imported where they are used: everything else of the package
works without them.
"""

from udify_allennlp.apps.service.batcher import Batcher, Busy
from udify_allennlp.apps.service.models import ServedModel, load_models
from udify_allennlp.apps.service.parameters import RequestError
from udify_allennlp.apps.service.process import Service

__all__ = ["Batcher", "Busy", "RequestError", "ServedModel", "Service", "load_models"]
