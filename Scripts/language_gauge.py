"""Measures one file: the sentences with a marker of unusual English, and the functions with many unlabelled parameters.

A marker is a heuristic. It shows a sentence that a stranger may have to read twice. `docs/style.md` names the remedies.
"""
import collections
import re

from language_code import Source

# The name of a marker, words of which a marked sentence has at least one, and a pattern. The search for the words
# is fast. A space in a pattern stands for any white space, because sentences keep their line breaks.
MARKERS = [
    (kind, words.split(), re.compile(pattern.replace(" ", r"\s+")))
    for kind, words, pattern in [
        ("who", "who Who", r"\b[Ww]ho(?:ever)?\b(?! (?:wrote|made) (?:it|this)\b)"),
        ("tell, hear", "old ell ear OLD ELL EAR", r"\b(?i:told|tells?|telling|hears?|heard)\b"),
        ("begins with Of", "Of", r"^Of (?!course\b)(?:[a-z]|X\b)"),
        ("where for if", "where Where",
         r"\b(?:[Nn]il|false|true|null|empty|nothing|error) where\b|^Where [a-z]+ (?:is|are|has|can|isn't|was)\b"),
        ("somebody", "body one BODY ONE", r"\b(?i:some|no|any)(?i:body|one)\b"),
        ("is there", "there", r"\b(?:is|are|was|were)(?:n't)? there\b"),
        ("goes, comes", "goes comes came gone",
         r"\b(?:goes|comes|came|gone)\b(?! (?:to|back|through|on|into|from|with|by|before|after|up|down|in|out|first"
         r"|last|next|over|behind|wrong|there|for|as|along|together|here|it|of|without|that|which)\b)"),
        ("is no", "no",
         r"\b(?:is|are|be|was|were) no (?!(?:longer|more|less|one|other|such|need|way|point|reason|different|room)\b)"
         r"[a-zX]"),
        ("the same of", "same", r"\b[Tt]he same (?:of|with)\b"),
        ("but for", "but", r"\bbut for\b"),
        ("is another one", "other", r"\b(?:is|are) (?:an)?other ones?\b"),
    ]
]

Sentence = collections.namedtuple("Sentence", "line markers text")

# A line with this remark is exempt. It is `// language: ok` in code, and an HTML comment in Markdown.
ESCAPE = re.compile(r"(?:^|//)\s*language: ok\s*$|<!--\s*language: ok\s*-->")
BREAK = "\f"


class Measure:
    """The marked sentences, the functions and the counts of a file. The extension of the path selects the language."""

    def __init__(self, path, text):
        self.sentences = 0
        self.marked = []
        self.functions = []
        self.escapes = set()
        if path.endswith(".md"):
            self._read_prose(1, text.split("\n"))
        else:
            source = Source(text, is_swift=path.endswith(".swift"))
            for line, lines in source.comments():
                self._read_prose(line, lines)
            if path.endswith(".swift"):
                for line, name in source.test_names():
                    self._read_sentence(line, masked(name))
                self.functions = [
                    function for function in source.functions() if function.line not in self.escapes
                ]
        self.marked.sort()

    @property
    def counts(self):
        """Marked sentences, functions with three or more unlabelled parameters, functions with four or more."""
        four = sum(function.unlabelled >= 4 for function in self.functions)
        return len(self.marked), len(self.functions), four

    def _read_prose(self, first, lines):
        lines, escapes = plain_lines(lines)
        self.escapes.update(first + index for index in escapes)
        text = masked("\n".join(lines))
        start = 0
        for end in SENTENCE_END.finditer(text + BREAK):
            sentence = text[start:end.start()].rstrip()
            words = sentence.lstrip("-–—(> \t\n")
            if len(words) > 8 and WHITE_SPACE.search(words):
                offset = start + len(sentence) - len(words)
                self._read_sentence(first + text.count("\n", 0, offset), words)
            start = end.end()

    def _read_sentence(self, first, text):
        self.sentences += 1
        kinds = []
        markers = [(kind, pattern) for kind, words, pattern in MARKERS if any(word in text for word in words)]
        if markers:
            text = IDENTIFIER.sub(cross, text)
        for kind, pattern in markers:
            for match in pattern.finditer(text):
                line = first + text.count("\n", 0, match.start())
                if line not in self.escapes:
                    kinds.append((line, kind))
                    break
        if kinds:
            kinds.sort()
            self.marked.append(Sentence(kinds[0][0], [kind for _, kind in kinds], " ".join(text.split())))


WHITE_SPACE = re.compile(r"\s")
SENTENCE_END = re.compile(rf"{BREAK}|(?:(?<=[.!?;:])|(?<=[.!?][)\"”]))(?<!\be\.g\.)(?<!\bi\.e\.)\s+")
FENCE = re.compile(r"\s*(?:>\s*)?(`{3,}(?=[^`]*$)|~{3,})")
LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
HEADING = re.compile(r"\s*#+\s")
DIRECTIVE = re.compile(r"\s*(?:MARK:|swift-format-ignore|swift-tools-version|swiftlint:|\[[^\]]+\]:\s)")
CODE_IN_LINE = re.compile(r"(`+)[^`].*?\1")
IDENTIFIER = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]+|[\w/-]*\w\w(?:[._]\w+)+(?:\(\))?|\w+\(\)")


def cross(match):
    """An X in the place of a match. Line breaks stay."""
    return "X" + "\n" * match.group().count("\n")


def cross_for_code(match):
    return match.group(2) if match.group(2) in ("nil", "true", "false") else cross(match)


# Signs of which the text has at least one, a pattern, and its replacement.
MASKS = [
    (signs.split(), re.compile(pattern), replacement)
    for signs, pattern, replacement in [
        ("`", rf"(`+)(?!`)([^{BREAK}]*?[^`{BREAK}])\1(?!`)", cross_for_code),
        ("](", r"!?\[([^\]]*)\]\([^)\s]*\)", r"\1"),
        ("< ://", rf"</?[A-Za-z][^<>{BREAK}]{{0,80}}>|\b[a-z]+://[^\s)>]+", cross),
        ("\" “ '", rf"\"[^\"{BREAK}]{{1,100}}\"|“[^”{BREAK}]{{1,100}}”|(?<!\w)'[^'\n{BREAK}]{{1,60}}'(?!\w)", cross),
        (":", r"(?:^|(?<=\s))- (?:Parameters?|Returns|Throws|Complexity|(?:Pre|Post)condition|Invariant|Note|Tip"
         rf"|Warning|Important)\b[^:{BREAK}]{{0,60}}:", BREAK),
        ("*", r"\*+", ""),
        ("_", r"(?<!\w)_([^_\n]+)_(?!\w)", r"\1"),
    ]
]


def masked(text):
    """The text with an X in the place of code, URLs and quotations."""
    for signs, pattern, replacement in MASKS:
        if any(sign in text for sign in signs):
            text = pattern.sub(replacement, text)
    return text


def plain_lines(lines):
    """The lines without code blocks, HTML comments and markup, and the indices of lines with an escape."""
    plain, escapes = [], []
    fence, is_comment, is_list, is_code, is_blank = "", False, False, False, True
    for index, line in enumerate(lines):
        found = FENCE.match(line) if not is_comment else None
        if fence:
            if found and found.group(1).startswith(fence) and not line[found.end():].strip():
                fence = ""
            plain.append(BREAK)
            continue
        if found:
            fence = found.group(1)
            plain.append(BREAK)
            continue
        if ESCAPE.search(CODE_IN_LINE.sub("X", line)):
            escapes.append(index)
            line = ESCAPE.sub("", line)
        line, is_comment = without_comments(line, is_comment)
        item = LIST_ITEM.match(line)
        is_indented = line.startswith(("    ", "\t"))
        is_code = is_indented and (is_blank or is_code) and not is_list
        is_blank = not line.strip()
        if item:
            is_list = True
        elif not is_blank and not line.startswith((" ", "\t")):
            is_list = False
        if is_blank or is_code or DIRECTIVE.match(line):
            plain.append(BREAK)
        elif item:
            plain.append(BREAK + (line.strip() if line.lstrip().startswith("- ") else line[item.end():].strip()))
        elif HEADING.match(line):
            plain.append(BREAK + line.strip(" #") + BREAK)
        elif line.lstrip().startswith("|"):
            plain.append(line.replace("|", BREAK))
        else:
            plain.append(line.strip())
    return plain, escapes


def without_comments(line, is_comment):
    """The line without HTML comments, and whether one of them continues on the next line."""
    kept = ""
    while line:
        if is_comment:
            _, end, line = line.partition("-->")
            is_comment = not end
        else:
            # A comment's opening in a code span is text.
            spans = [match.span() for match in CODE_IN_LINE.finditer(line)]
            start = line.find("<!--")
            while any(low <= start < high for low, high in spans):
                start = line.find("<!--", start + 1)
            if start < 0:
                return kept + line, False
            kept, line, is_comment = kept + line[:start], line[start + 4:], True
    return kept, is_comment
