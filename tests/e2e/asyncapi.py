"""An AsyncAPI document in the hands of a reader: which message a record is, and whether it fits."""

import jsonschema


class Description:
    def __init__(self, document):
        self.document = document
        self._references = jsonschema.RefResolver("", document)
        self.messages = {message["name"]: message
                         for key, message in document["components"]["messages"].items()
                         if key != "Internal" and not key.startswith("Socket")}

    def resolved(self, node):
        while "$ref" in node:
            node = self._references.resolve(node["$ref"])[1]
        return node

    def socket_errors(self, key, message):
        """`key`: of the component, e.g. SocketLockFrame."""
        return self._errors(self.document["components"]["messages"][key]["payload"], message)

    def message_of(self, event_type):
        return self.messages[event_type]

    def payload_errors(self, event_type, data):
        return self._errors(self.message_of(event_type)["payload"], data)

    def header_errors(self, event_type, headers):
        """`headers`: name -> text."""
        return self._errors(self.message_of(event_type)["headers"], headers)

    def _errors(self, schema, value):
        validator = jsonschema.Draft7Validator(schema, resolver=self._references)
        return ["%s: %s" % ("/".join(map(str, error.path)), error.message)
                for error in validator.iter_errors(value)]


class LocalReferences(jsonschema.RefResolver):
    """For a schema whose references are all its own: they are looked up by their paths alone. The
    library's way stumbles over a meta-schema that has a property named $id."""

    def resolve(self, ref):
        node = self.referrer
        for part in ref.removeprefix("#/").split("/"):
            node = node[part]
        return ref, node


def errors_against(schema, document):
    validator = jsonschema.Draft7Validator(schema, resolver=LocalReferences("", schema))
    return ["%s: %s" % ("/".join(map(str, error.path)), error.message[:200])
            for error in validator.iter_errors(document)]
