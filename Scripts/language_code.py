"""Splits Swift and C code into comments and code, and finds the functions with many unlabelled parameters."""
import bisect
import collections
import re

Function = collections.namedtuple("Function", "line name unlabelled")

SWIFT_TOKEN = re.compile(r'//|/\*|`[^`\n]+`|#*"""|#*"')
C_TOKEN = re.compile(r"""//|/\*|'(?:\\.|[^'\\\n])+'|\"""")
COMMENT_EDGE = re.compile(r"/\*|\*/")
INTERPOLATION_EDGE = re.compile(r'[()]|#*"""|#*"')
WHITE_SPACE = re.compile(r"\s*")
NOT_NEWLINE = re.compile(r"[^\n]")
COMMENT_SIGN = re.compile(r"/{2,}!?<?")
# Patterns that begin with a literal are fast, so each keyword has its own.
TEST_NAMES = [re.compile(r"func\s+`([^`\n]+)`"), re.compile(r'@(?:Test|Suite)\(\s*"([^"]*)"')]
FUNCTIONS = [
    re.compile(rf"{keyword}(?<![.\w`]{keyword}){name}\s*(?=[<(])")
    for keyword, name in [
        ("func", r"\s+(`[^`\n]+`|[^\W\d]\w*)"), ("macro", r"\s+([^\W\d]\w*)"), ("init", "()[?!]?"), ("subscript", "()")
    ]
]
BRACKET = re.compile(r"[()\[\]{}<>,=]")
ATTRIBUTES = r"\s*(?:@\w[\w.]*(?:\((?:[^()]|\([^()]*\))*\))?\s+)*"
NAME = r"(?:`[^`]+`|\w+)"
UNLABELLED = re.compile(rf"{ATTRIBUTES}_(?:\s+{NAME})?\s*:")
UNLABELLED_IN_SUBSCRIPT = re.compile(rf"{ATTRIBUTES}(?:_\s+)?{NAME}\s*:")
CLOSING = {")": "(", "]": "[", "}": "{"}


class Source:
    """Swift or C code in which comments and literals are blank. Offsets are those of the text."""

    def __init__(self, text, is_swift):
        self.text = text
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.comment_spans = []
        self.code = self._blanked(is_swift)

    def line(self, offset):
        return bisect.bisect_right(self.line_starts, offset)

    def _blanked(self, is_swift):
        text, pieces, position = self.text, [], 0
        token = SWIFT_TOKEN if is_swift else C_TOKEN
        while True:
            found = token.search(text, position)
            if not found:
                return "".join(pieces) + text[position:]
            start, sign = found.start(), found.group()
            pieces.append(text[position:start])
            if sign[0] in "`'":
                position = found.end()
                pieces.append(sign if sign[0] == "`" else " " * len(sign))
                continue
            if sign == "//":
                position = text.find("\n", start)
                position = len(text) if position < 0 else position
                self.comment_spans.append((start, position))
            elif sign == "/*":
                position = end_of_comment(text, found.end(), is_nested=is_swift)
                self.comment_spans.append((start, position))
            else:
                position = end_of_string(text, found.end(), sign)
            blank = NOT_NEWLINE.sub(" ", text[start:position])
            if sign[-1] == '"' and len(blank) > 1:
                blank = '"' + blank[1:-1] + '"'
            pieces.append(blank)

    def comments(self):
        """The comments as pairs of the first line and the lines. Adjacent comments of one kind are one."""
        block, first, kind = [], 0, ""
        for start, end in self.comment_spans:
            line = self.line(start)
            comment = self.text[start:end]
            has_own_line = not self.text[self.line_starts[line - 1]:start].strip()
            if comment.startswith("/*"):
                lines = comment[2:].replace("*/", "").split("\n")
                yield line, [re.sub(r"^\s*[*!]+\s?", "", each) for each in lines]
                continue
            sign = COMMENT_SIGN.match(comment).group()
            content = comment[len(sign):]
            content = content[1:] if content.startswith(" ") else content
            if block and not (has_own_line and sign == kind and line == first + len(block)):
                yield first, block
                block = []
            if not block:
                first = line
            block.append(content)
            kind = sign if has_own_line else "none"
        if block:
            yield first, block

    def test_names(self):
        """The names of tests and suites that are sentences, with their lines."""
        for pattern in TEST_NAMES:
            for match in pattern.finditer(self.code):
                name = self.text[match.start(1):match.end(1)]
                if re.search(r"\s", name.strip()):
                    yield self.line(match.start(1)), name

    def functions(self):
        """The functions, initialisers, subscripts and macros with three or more unlabelled parameters."""
        heads = (match for pattern in FUNCTIONS for match in pattern.finditer(self.code))
        for match in sorted(heads, key=lambda match: match.start()):
            opening = match.end()
            if self.code[opening] == "<":
                opening = end_of_generics(self.code, opening)
            if self.code[opening:opening + 1] != "(":
                continue
            is_subscript = match.group().startswith("subscript")
            pattern = UNLABELLED_IN_SUBSCRIPT if is_subscript else UNLABELLED
            count = sum(1 for text in parameters(self.code, opening) if pattern.match(text))
            if count >= 3:
                name = match.group(1) or ("subscript" if is_subscript else "init")
                yield Function(self.line(match.start()), name, count)


def end_of_comment(text, position, is_nested):
    depth = 1
    for match in COMMENT_EDGE.finditer(text, position):
        if match.group() == "*/":
            depth -= 1
            if depth == 0:
                return match.end()
        elif is_nested:
            depth += 1
    return len(text)


STRING_EDGES = {}


def end_of_string(text, position, opening):
    """The offset after a literal, whose interpolations may hold literals. A literal in one line ends with the line."""
    if opening not in STRING_EDGES:
        quotes = opening.lstrip("#")
        pounds = opening[:len(opening) - len(quotes)]
        line_end = "" if len(quotes) == 3 else r"|\n"
        STRING_EDGES[opening] = re.compile(rf"(\\{pounds}\()|\\{pounds}[^\n]|({quotes}{pounds}{line_end})")
    edge = STRING_EDGES[opening]
    while True:
        match = edge.search(text, position)
        if not match:
            return len(text)
        if match.group(2):
            return match.start() if match.group(2) == "\n" else match.end()
        position = match.end()
        if match.group(1):
            position = end_of_interpolation(text, position)


def end_of_interpolation(text, position):
    depth = 1
    while depth:
        match = INTERPOLATION_EDGE.search(text, position)
        if not match:
            return len(text)
        position = match.end()
        if match.group() == "(":
            depth += 1
        elif match.group() == ")":
            depth -= 1
        else:
            position = end_of_string(text, position, match.group())
    return position


def end_of_generics(code, opening):
    """The offset of the first sign after a generic clause."""
    depth = 0
    for match in BRACKET.finditer(code, opening):
        if match.group() == "<":
            depth += 1
        elif match.group() == ">" and code[match.start() - 1] != "-":
            depth -= 1
            if depth == 0:
                return WHITE_SPACE.match(code, match.end()).end()
    return len(code)


def parameters(code, opening):
    """The texts between the commas of a parameter list that opens at the offset."""
    found, start, open_brackets, is_default = [], opening + 1, [], False
    for match in BRACKET.finditer(code, opening):
        sign, offset = match.group(), match.start()
        if sign in "([{":
            open_brackets.append(sign)
        elif sign in CLOSING:
            while open_brackets and open_brackets.pop() != CLOSING[sign]:
                pass
            if not open_brackets:
                found.append(code[start:offset])
                break
        # Between inner brackets, angle brackets and commas change nothing.
        elif sign == "<" and (len(open_brackets) == 1 or open_brackets[-1] == "<"):
            # In a default value, `a < b` is a comparison and `Set<Int>()` is generic.
            if not is_default or (code[offset - 1].isalpha() and code[offset + 1] not in " <=\n"):
                open_brackets.append(sign)
        elif sign == ">" and open_brackets[-1] == "<" and code[offset - 1] != "-":
            open_brackets.pop()
        elif len(open_brackets) == 1 and sign == "=":
            is_default = True
        elif len(open_brackets) == 1 and sign == ",":
            found.append(code[start:offset])
            start, is_default = offset + 1, False
    return found
