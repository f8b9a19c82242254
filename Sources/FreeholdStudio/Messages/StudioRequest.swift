/// A request of the page, with checked access to its parameters.
struct StudioRequest: Sendable {
    let id: Int?
    let name: String
    let body: StudioJSON

    /// - Throws: `StudioError` if the message isn't a request.
    init(_ message: StudioJSON) throws(StudioError) {
        guard case .object = message, let name = message["do"]?.text else {
            throw StudioError(.invalid, "A message is an object with the member 'do'.")
        }
        if let id = message["id"] {
            guard let number = id.int, number >= 0, number < 1 << 53 else {
                throw StudioError(.invalid, "The 'id' of a request is a number from 0 to 2^53.")
            }
            self.id = number
        } else {
            id = nil
        }
        self.name = name
        body = message
    }

    private func wrong(_ name: String, _ expected: String) -> StudioError {
        StudioError(.invalid, "The request '\(self.name)' needs '\(name)' as \(expected).")
    }

    /// Returns a member, or `nil` if it is missing or null.
    func optional(_ name: String) -> StudioJSON? {
        guard let value = body[name], !value.isNull else { return nil }
        return value
    }

    func text(_ name: String) throws(StudioError) -> String {
        guard let text = body[name]?.text else { throw wrong(name, "a text") }
        return text
    }

    func optionalText(_ name: String) throws(StudioError) -> String? {
        guard let value = optional(name) else { return nil }
        guard let text = value.text else { throw wrong(name, "a text") }
        return text
    }

    /// Returns a whole number from 0 on.
    func number(_ name: String) throws(StudioError) -> Int {
        guard let number = body[name]?.int, number >= 0 else { throw wrong(name, "a number from 0 on") }
        return number
    }

    func optionalNumber(_ name: String) throws(StudioError) -> Int? {
        optional(name) == nil ? nil : try number(name)
    }

    func flag(_ name: String) throws(StudioError) -> Bool {
        guard let value = optional(name) else { return false }
        guard let flag = value.flag else { throw wrong(name, "true or false") }
        return flag
    }

    func list(_ name: String) throws(StudioError) -> [StudioJSON] {
        guard let list = body[name]?.elements else { throw wrong(name, "a list") }
        return list
    }

    func optionalList(_ name: String) throws(StudioError) -> [StudioJSON]? {
        optional(name) == nil ? nil : try list(name)
    }

    func optionalTexts(_ name: String) throws(StudioError) -> [String]? {
        guard let list = try optionalList(name) else { return nil }
        var texts: [String] = []
        for element in list {
            guard let text = element.text else { throw wrong(name, "a list of texts") }
            texts.append(text)
        }
        return texts
    }

    /// Returns the range from `from` to `to`.
    func range(limit: Int) throws(StudioError) -> Range<Int> {
        let (from, to) = (try number("from"), try number("to"))
        guard from <= to else { throw wrong("to", "a number that isn't less than 'from'") }
        guard to - from <= limit else { throw StudioError(.tooLarge, "A part has at most \(limit) elements.") }
        return from..<to
    }

    /// Returns the ranges of `ranges`, or `nil` if the member is missing.
    func ranges() throws(StudioError) -> [Range<Int>]? { try Self.ranges(optional("ranges")) }

    /// Returns the ranges that a selection has, or `nil` if it is missing.
    static func ranges(_ json: StudioJSON?) throws(StudioError) -> [Range<Int>]? {
        let wrong = StudioError(.invalid, "'ranges' is a list of pairs [from, to].")
        guard let json else { return nil }
        guard let list = json.elements else { throw wrong }
        guard list.count <= 1_000 else { throw StudioError(.tooLarge, "A selection has at most 1,000 ranges.") }
        var ranges: [Range<Int>] = []
        for element in list {
            guard let pair = element.elements, pair.count == 2, let from = pair[0].int, let to = pair[1].int,
                from >= 0, from <= to
            else { throw wrong }
            ranges.append(from..<to)
        }
        return ranges
    }
}
