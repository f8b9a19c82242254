/// The words of the query language.
enum QueryKeywords {
    /// A word with its explanation.
    struct Word: Sendable {
        let text: String
        let kind: String
        let note: String
    }

    static let all: [Word] = [
        Word(text: "AND", kind: "keyword", note: "Both conditions hold."),
        Word(text: "OR", kind: "keyword", note: "One of the conditions holds."),
        Word(text: "NOT", kind: "keyword", note: "The condition doesn't hold."),
        Word(text: "IN", kind: "operator", note: "The value is one of {…}."),
        Word(text: "BETWEEN", kind: "operator", note: "The value is in {low, high}."),
        Word(text: "CONTAINS", kind: "operator", note: "The text contains another one. [c] ignores case."),
        Word(text: "BEGINSWITH", kind: "operator", note: "The text begins with another one. [c] ignores case."),
        Word(text: "ENDSWITH", kind: "operator", note: "The text ends with another one. [c] ignores case."),
        Word(text: "LIKE", kind: "operator", note: "The text matches a pattern with * and ?."),
        Word(text: "MATCHES", kind: "operator", note: "The text matches a regular expression."),
        Word(text: "TEXT", kind: "operator", note: "The text with a full-text index has the words."),
        Word(text: "geoWithin", kind: "operator", note: "The place is inside a shape."),
        Word(text: "ANY", kind: "keyword", note: "One element of the collection meets the condition."),
        Word(text: "ALL", kind: "keyword", note: "All elements of the collection meet the condition."),
        Word(text: "NONE", kind: "keyword", note: "No element of the collection meets the condition."),
        Word(
            text: "SUBQUERY",
            kind: "function",
            note: "The linked objects that meet a condition: SUBQUERY(path, $x, …).@count."
        ),
        Word(text: "SORT", kind: "function", note: "Sorts: SORT(path ASC, path DESC)."),
        Word(text: "DISTINCT", kind: "function", note: "Keeps the first of equal objects: DISTINCT(path)."),
        Word(text: "LIMIT", kind: "function", note: "Keeps the first objects: LIMIT(10)."),
        Word(text: "OFFSET", kind: "function", note: "Leaves the first objects out: OFFSET(10)."),
        Word(text: "ASC", kind: "keyword", note: "The least value first."),
        Word(text: "DESC", kind: "keyword", note: "The greatest value first."),
        Word(text: "TRUEPREDICATE", kind: "keyword", note: "All objects."),
        Word(text: "true", kind: "value", note: "A value of the type bool."),
        Word(text: "false", kind: "value", note: "A value of the type bool."),
        Word(text: "null", kind: "value", note: "No value."),
    ]

    static let operations: [Word] = [
        Word(text: "@count", kind: "function", note: "The number of elements."),
        Word(text: "@sum", kind: "function", note: "The sum of the elements."),
        Word(text: "@avg", kind: "function", note: "The mean of the elements."),
        Word(text: "@min", kind: "function", note: "The least element."),
        Word(text: "@max", kind: "function", note: "The greatest element."),
    ]

    /// Further spellings that are keywords, in upper case.
    private static let others: Set<String> = ["SOME", "FALSEPREDICATE", "YES", "NO", "NIL", "SELF", "OBJ"]
    private static let known = Set(all.map { $0.text.uppercased() }).union(others)

    static func contains(_ word: String) -> Bool { known.contains(word.uppercased()) }
}
