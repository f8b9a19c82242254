"""The programs of the tests: Studio, and a program that makes a file and commits to it."""
import os
import queue
import shutil
import subprocess
import tempfile
import threading

ROWS = int(os.environ.get("FREEHOLD_STUDIO_ROWS", "300000"))
FOLDER = os.environ["FREEHOLD_STUDIO_PRODUCTS"]
# A folder whose files are served in the place of the embedded ones.
PAGE = os.environ.get("FREEHOLD_STUDIO_PAGE")


class Program:
    """A process whose lines of output can be awaited."""

    def __init__(self, *arguments, environment=None):
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(environment or {})})
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def line(self, seconds=120):
        text = self.lines.get(timeout=seconds)
        if text is None:
            raise RuntimeError(f"the program ended with {self.process.wait()}")
        return text

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class World:
    """A folder with a file, and the programs that use it."""

    def __init__(self, rows=ROWS):
        self.folder = tempfile.mkdtemp(prefix="freehold-studio-")
        self.state = os.path.join(self.folder, "state")
        os.mkdir(self.state)
        self.programs = []
        self.file = self.make("fieldnotes.realm", rows)

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, rows=1000, key=False):
        path = self.path(name)
        subprocess.run([os.path.join(FOLDER, "freehold-studiochild"), "make", path, str(rows), *(["--encrypted"] if key else [])], check=True, stdout=subprocess.DEVNULL)
        return path

    def studio(self, *arguments):
        """Starts Studio. Returns the program and the address that it prints."""
        extra = ["--page", PAGE] if PAGE else []
        program = Program(os.path.join(FOLDER, "freehold-studio"), *arguments, "--no-open", *extra, environment={"XDG_STATE_HOME": self.state, "XDG_RUNTIME_DIR": self.folder})
        self.programs.append(program)
        while True:
            line = program.line()
            if "/#key=" in line:
                return program, line[line.index("http"):].split()[0]

    def writer(self, file=None):
        """Starts the program that commits to the file."""
        program = Program(os.path.join(FOLDER, "freehold-studiochild"), "write", file or self.file)
        self.programs.append(program)
        assert program.line() == "ready"

        def order(text):
            program.process.stdin.write(text + "\n")
            program.process.stdin.flush()
            return program.line()

        return order

    def close(self):
        for program in self.programs:
            program.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
