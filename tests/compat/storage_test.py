from tests.helpers.processes import python

CLIENTS = ["boto3", "botocore", "google"]
ABSENT = f"""
import sys
sys.modules.update(dict.fromkeys({CLIENTS}))  # as if they were not installed
"""
ASK = """
import udify_allennlp.plugin
from allennlp.common.file_utils import cached_path
for address in ("s3://bucket/model.tar.gz", "gs://bucket/model.tar.gz"):
    try:
        cached_path(address)
    except Exception as error:
        print(type(error).__name__, str(error))
"""


def test_clients_of_storage_are_not_imported_at_the_start():
    done = python(f"""
        import sys, udify_allennlp.plugin
        print(sorted({{*{CLIENTS}}} & set(sys.modules)))
        """)
    assert done.stdout == "[]\n", done.stderr


def test_an_address_says_what_to_install_for_it():
    done = python(ABSENT + ASK)
    for line, scheme in zip(done.stdout.splitlines(), ("s3", "gs"), strict=True):
        assert line.startswith(f"ConfigurationError {scheme}://bucket/model.tar.gz cannot be fetch")
        assert line.endswith(f"{scheme}://: pip install 'udify_allennlp[storage]'")


def test_where_they_are_installed_they_are_asked():
    done = python("""
        import sys, types
        import udify_allennlp.plugin
        from allennlp.common.file_utils import cached_path
        try:
            cached_path("absent")  # imports the package
        except FileNotFoundError:
            pass
        from cached_path.schemes.scheme_client import SchemeClient
        class S3Client(SchemeClient):
            scheme = "s3"
            def get_etag(self): raise FileNotFoundError(f"asked for {self.resource}")
            get_size = get_resource = get_bytes_range = get_etag
        sys.modules["cached_path.schemes.s3"] = types.SimpleNamespace(S3Client=S3Client)
        try:
            cached_path("s3://bucket/file")
        except FileNotFoundError as error:
            print(error)
        """)
    assert done.stdout == "asked for s3://bucket/file\n", done.stderr


def test_a_command_says_it_in_one_line():
    words = ["predict", "s3://bucket/model.tar.gz", "x.conllu"]
    done = python(
        ABSENT
        + f"""
import udify_allennlp.cli
sys.argv[1:] = {words}
udify_allennlp.cli.main()
"""
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "udify_allennlp[storage]" in done.stderr, done.stderr
