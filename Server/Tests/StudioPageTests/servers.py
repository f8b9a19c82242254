"""A sync server with users and devices, and Studio on it."""
import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request

from programs import FOLDER, PAGE, Program

DEVICES = int(os.environ.get("FREEHOLD_STUDIO_DEVICES", "200"))
APP = "notes"
RULES = {"classes": {"Thing": {"roles": [{"name": "owner", "apply_when": {}, "document_filters": {"read": {"owner": "%%user.id"}, "write": {"owner": "%%user.id"}},
                                          "insert": True, "delete": True, "fields": {"secret": {"read": False, "write": False}}, "additional_fields": {"read": True, "write": True}}]}}}
SCHEMA = {"title": "Thing", "bsonType": "object", "required": ["_id", "owner"],
          "properties": {"_id": {"bsonType": "long"}, "owner": {"bsonType": "string"}, "name": {"bsonType": "string"}, "secret": {"bsonType": "string"},
                         "stars": {"bsonType": "long"}, "tags": {"bsonType": "array", "items": {"bsonType": "string"}}}}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class ServerWorld:
    """A server in a folder of its own. The users of the devices have tokens of an issuer that the settings name, and two users have accounts."""

    def __init__(self, devices=DEVICES):
        self.root = tempfile.mkdtemp(prefix="freehold-studio-server-")
        self.folder = os.path.join(self.root, "server")
        self.programs = []
        self.run("init", self.folder, "--app", "other")
        settings = os.path.join(self.folder, "server.json")
        with open(settings) as file:
            content = json.load(file)
        content["tokens"]["apps"] = [APP]
        content["port"] = content["admin"]["port"] = 0
        self.administrator = self.free_port()
        content["admin"]["port"] = self.administrator
        with open(settings, "w") as file:
            json.dump(content, file)
        self.run("app", "create", self.folder, APP, "--email-password", "auto-confirm", "--access", "nobody")
        self.run("schema", "push", self.folder, APP, self.write("schema.json", SCHEMA))
        self.run("rules", "push", self.folder, APP, self.write("rules.json", RULES))
        self.ann = self.run("user", "create", self.folder, APP, "ann@example.org", text="a long password\n").strip()
        self.bob = self.run("user", "create", self.folder, APP, "bob@example.org", text="a long password\n").strip()
        self.server, self.port = self.start()
        # The first two devices belong to one user.
        self.users = [f"user{max(number - 1, 0)}" for number in range(devices)]
        self.crowd = Program(os.path.join(FOLDER, "freehold-studiochild"), "crowd", str(self.port), APP)
        self.programs.append(self.crowd)
        self.crowd.process.stdin.write("".join(self.token(user) + "\n" for user in self.users) + "\n")
        self.crowd.process.stdin.flush()
        line = self.crowd.line()
        if line != "ready":
            raise RuntimeError(line)

    @staticmethod
    def free_port():
        from webdriver import free_port
        return free_port()

    def write(self, name, content):
        path = os.path.join(self.root, name)
        with open(path, "w") as file:
            json.dump(content, file)
        return path

    def run(self, *arguments, text=""):
        done = subprocess.run([os.path.join(FOLDER, "freehold-server"), *arguments], input=text, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def start(self):
        server = Program(os.path.join(FOLDER, "freehold-server"), "serve", self.folder, "--port", "0")
        self.programs.append(server)
        while "Freehold listens at" not in (line := server.line()):
            pass
        return server, int(line.rsplit(":", 1)[1].split("/")[0])

    def token(self, user):
        """A token of the issuer of the settings (HS256)."""
        with open(os.path.join(self.folder, "token.secret")) as file:
            secret = file.read().strip()
        parts = [encoded(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": user, "exp": int(time.time()) + 36000})]
        signature = hmac.new(secret.encode(), ".".join(parts).encode(), hashlib.sha256).digest()
        return ".".join([*parts, encoded(signature)])

    def order(self, text):
        self.crowd.process.stdin.write(text + "\n")
        self.crowd.process.stdin.flush()
        answer = self.crowd.line()
        if answer != "done":
            raise RuntimeError(answer)

    def studio(self, *arguments):
        """Starts Studio on the server. Returns the program and the address that it prints."""
        extra = ["--page", PAGE] if PAGE else []
        program = Program(os.path.join(FOLDER, "freehold-server"), "studio", self.folder, "--no-open", *arguments, *extra)
        self.programs.append(program)
        while "/#key=" not in (line := program.line()):
            pass
        return program, line.strip()

    def request(self, path, key=None, body=None):
        """Sends a request to the administrator's port, and returns the status and the text. With a body, it is a POST."""
        headers = {"Authorization": f"Bearer {key}", "Freehold-Administrator": "tests"} if key else {}
        request = urllib.request.Request(f"http://127.0.0.1:{self.administrator}{path}", body.encode() if body else None, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def close(self):
        for program in reversed(self.programs):
            program.stop()
        shutil.rmtree(self.root, ignore_errors=True)
