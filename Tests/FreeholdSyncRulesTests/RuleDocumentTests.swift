import FreeholdBSON
import FreeholdSyncRules
import Testing

struct RuleDocumentTests {
    static let owner = """
        {
          "name": "owner",
          "apply_when": {"%%user.custom_data.isActive": true},
          "document_filters": {"read": {"$or": [{"owner": "%%user.id"}, {"isPublic": true}]}, "write": {"owner": "%%user.id"}},
          "read": true,
          "insert": true,
          "delete": {"state": {"$ne": "locked"}},
          "search": true,
          "fields": {
            "owner": {"read": true, "write": false},
            "address": {"read": true, "fields": {"street": {"read": false, "write": false}, "city": {}}}
          },
          "additional_fields": {"read": true, "write": true}
        }
        """

    @Test(arguments: [
        #"{"default": {"roles": []}}"#,
        #"{"classes": {"Dog": {"roles": [ROLE]}, "Person": {"roles": []}}}"#,
        #"{"default": {"roles": [ROLE]}, "classes": {"Dog": {"roles": [ROLE]}}}"#,
        #"{}"#,
    ])
    func `the flat form is written back equal`(text: String) throws {
        let text = text.replacing("ROLE", with: Self.owner)
        let rules = try RuleSet(extendedJSON: text)
        try expectEqualJSON(.document(rules.document), BSONValue(extendedJSON: text))
        try expectEqual(RuleSet(extendedJSON: rules.document.extendedJSON()), rules)
    }

    @Test(arguments: [
        #"[{"database": "app", "collection": "Dog", "roles": [ROLE]}, {"roles": [ROLE]}]"#,
        #"[{"_id": {"$oid": "65a1b2c3d4e5f60718293a4b"}, "database": "app", "collection": "Dog", "roles": []}]"#,
        #"[]"#,
    ])
    func `App Services' documents are written back equal`(text: String) throws {
        let text = text.replacing("ROLE", with: Self.owner)
        let rules = try RuleSet(extendedJSON: text)
        let written = BSONValue.array(rules.documents.map { .document($0) })
        try expectEqualJSON(written, BSONValue(extendedJSON: text))
        try expectEqual(RuleSet(written), rules)
    }

    @Test func `a single document of App Services is read, too`() throws {
        let dogs = try RuleSet(
            extendedJSON: #"{"database": "app", "collection": "Dog", "roles": [\#(Self.owner)], "filters": []}"#
        )
        expectEqual(dogs.roles(of: "Dog").roles.map(\.name), ["owner"])
        expect(dogs.roles(of: "Cat").roles.isEmpty)
        let rest = try RuleSet(extendedJSON: #"{"roles": [\#(Self.owner)], "filters": []}"#)
        expect(rest.roles(of: "Cat").areDefault)
        expectEqual(rest.roles(of: "Cat").roles.map(\.name), ["owner"])
    }

    @Test func `a role keeps the content of its document`() throws {
        let role = try Role(BSONValue(extendedJSON: Self.owner))
        expectEqual(role.name, "owner")
        expectEqual(role.read, true)
        expect(role.write == nil)
        expect(role.insert != nil)
        expectEqual(role.additionalFields, FieldAccess(read: true, write: true))
        expectEqual(role.fields.map(\.name), ["owner", "address"])
        expectEqual(
            role.fields[1].fields,
            [
                FieldRule("street", FieldAccess(read: false, write: false)), FieldRule("city", FieldAccess()),
            ]
        )
    }

    /// A document, and the path and a part of the reason of its refusal.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let text: String
        let path: [String]
        let reason: String

        init(_ text: String, _ path: [String], _ reason: String) {
            self.text = text
            self.path = path
            self.reason = reason
        }

        var testDescription: String { reason + ": " + text.prefix(60) }

        /// A role with an additional entry.
        static func role(_ more: String, _ path: [String], _ reason: String) -> Refusal {
            Refusal(
                #"{"roles": [{"name": "a", "apply_when": {}, \#(more)}]}"#,
                ["roles", "0"] + path,
                reason
            )
        }

        static func expression(_ expression: String, _ path: [String], _ reason: String) -> Refusal {
            role(#""document_filters": {"read": \#(expression)}"#, ["document_filters", "read"] + path, reason)
        }
    }

    static let refusals: [Refusal] = [
        Refusal("{", [], "byte"),
        Refusal("7", [], "is an object, not int"),
        Refusal(#"{"roles": [], "more": 1}"#, ["more"], "has no 'more'"),
        Refusal(#"{"default": {}}"#, ["default"], "need 'roles'"),
        Refusal(#"{"classes": {"Dog": {"roles": {}}}}"#, ["classes", "Dog", "roles"], "is an array, not object"),
        Refusal(#"{"database": "a", "roles": []}"#, [], "needs a 'collection'"),
        Refusal(#"[{"collection": "a", "roles": []}, {"collection": "a", "roles": []}]"#, ["1"], "has rules already"),
        Refusal(#"[{"roles": []}, {"roles": []}]"#, ["1"], "default roles already"),
        Refusal(#"{"collection": "", "roles": []}"#, ["collection"], "is empty"),
        Refusal(#"{"roles": [], "filters": [{"name": "f"}]}"#, ["filters"], "no filters"),
        Refusal(#"{"roles": [{"name": "a"}]}"#, ["roles", "0"], "needs 'apply_when'"),
        Refusal(#"{"roles": [{"apply_when": {}}]}"#, ["roles", "0"], "needs a 'name'"),
        Refusal(
            #"{"roles": [{"name": "a", "apply_when": {}}, {"name": "a", "apply_when": {}}]}"#,
            ["roles", "1", "name"],
            "two roles named 'a'"
        ),
        .role(#""reed": true"#, ["reed"], "has no 'reed'"),
        .role(#""read": {"owner": "%%user.id"}"#, ["read"], "true or false, not object"),
        .role(#""read": 1"#, ["read"], "true or false, not int"),
        .role(#""document_filters": {"insert": true}"#, ["document_filters", "insert"], "has no 'insert'"),
        .role(#""fields": []"#, ["fields"], "is an object, not array"),
        .role(#""fields": {"_id": {"read": true}}"#, ["fields", "_id"], "goes with its object"),
        .role(#""fields": {"a.b": {"read": true}}"#, ["fields", "a.b"], "isn't the name of a field"),
        .role(#""fields": {"a": {"red": true}}"#, ["fields", "a", "red"], "has no 'red'"),
        .role(#""additional_fields": {"read": "%%true"}"#, ["additional_fields", "read"], "true or false"),
        .expression("3", [], "not int"),
        .expression("[]", [], "not array"),
        .expression(#"{"a": {"$near": 1}}"#, ["a", "$near"], "no operator '$near'"),
        .expression(#"{"$near": 1}"#, ["$near"], "can't stand here"),
        .expression(#"{"a": {"$gt": 1, "b": 2}}"#, ["a", "b"], "side by side"),
        .expression(#"{"a": {"b": 2}}"#, ["a"], "not whole documents"),
        .expression(#"{"a": [1, 2]}"#, ["a"], "aren't compared as a whole"),
        .expression(#"{"a": {"$in": 1}}"#, ["a", "$in"], "A list of values"),
        .expression(#"{"a": {"$in": [[1]]}}"#, ["a", "$in", "0"], "aren't compared as a whole"),
        .expression(#"{"a": {"$exists": 1}}"#, ["a", "$exists"], "true or false, not int"),
        .expression(#"{"a": {"$regularExpression": {"pattern": "a", "options": ""}}}"#, ["a"], "type regex"),
        .expression(#"{"a": "%%user"}"#, ["a"], "id, type, data, custom_data and identities"),
        .expression(#"{"a": "%%user.name"}"#, ["a"], "id, type, data, custom_data and identities"),
        .expression(#"{"a": "%%user.id.x"}"#, ["a"], "is a string"),
        .expression(#"{"a": "%%values"}"#, ["a"], "needs the name"),
        .expression(#"{"a": "%%usr.id"}"#, ["a"], "no expansion"),
        .expression(#"{"a": "%%root.b"}"#, ["a"], "isn't known to sync"),
        .expression(#"{"%%prev.b": 1}"#, ["%%prev.b"], "isn't known to sync"),
        .expression(#"{"%%request.remoteIPAddress": 1}"#, ["%%request.remoteIPAddress"], "requests only"),
        .expression(#"{"%%true": {"%function": {"name": "f"}}}"#, ["%%true", "%function"], "no functions"),
        .expression(#"{"a": {"%stringToOid": "xyz"}}"#, ["a"], "can't convert"),
        .expression(#"{"$or": []}"#, ["$or"], "is empty"),
        .expression(#"{"$and": {}}"#, ["$and"], "not object"),
        .expression(#"{"a..b": 1}"#, ["a..b"], "isn't a path"),
        .expression(#"{"a.0": 1}"#, ["a.0"], "a place in an array"),
        .expression(#""owner =""#, [], "can't be read"),
        .expression(#""owner == $0""#, [], "no arguments"),
        .expression(#""owner == %@""#, [], "no arguments"),
        .expression(#""owner == %%user.nam""#, [], "id, type, data"),
        .expression(#""TRUEPREDICATE LIMIT(1)""#, [], "aren't part of a right"),
        Refusal(
            #"{"roles": [{"name": "a", "apply_when": {"owner": "%%user.id"}}]}"#,
            ["roles", "0", "apply_when", "owner"],
            "before any object is seen"
        ),
        Refusal(
            #"{"roles": [{"name": "a", "apply_when": "owner == 1"}]}"#,
            ["roles", "0", "apply_when"],
            "no object yet"
        ),
    ]

    @Test(arguments: refusals) func `a mistake is refused with its path and reason`(_ refusal: Refusal) {
        let error = #expect(throws: RuleError.self) { try RuleSet(extendedJSON: refusal.text) }
        expectEqual(error?.path, refusal.path)
        expectEqual(error?.reason.contains(refusal.reason), true, "\(error?.description ?? "")")
    }

    @Test(arguments: [#"{"$and": ["#, #"{"$or": ["#, #"{"$not": "#])
    func `deep nesting is refused without recursion`(opening: String) {
        for depth in [21, 200, 20_000] {
            let text = String(repeating: opening, count: depth)
            let closing = String(repeating: opening.hasSuffix("[") ? "]}" : "}", count: depth)
            let role = #"{"roles": [{"name": "a", "apply_when": {}, "insert": \#(text)true\#(closing)}]}"#
            let error = #expect(throws: RuleError.self) { try RuleSet(extendedJSON: role) }
            expectEqual(error?.reason.lowercased().contains("deep"), true, "\(error?.description ?? "")")
        }
    }

    @Test func `sizes and counts are limited`() {
        let many = (0..<20).map { #"{"name": "\#($0)", "apply_when": {}}"# }.joined(separator: ",")
        let text = #"{"roles": [\#(many)]}"#
        #expect(throws: Never.self) { try RuleSet(extendedJSON: text) }
        #expect(throws: RuleError.self) { try RuleSet(extendedJSON: text, limits: RuleLimits(count: 19)) }
        #expect(throws: RuleError.self) { try RuleSet(extendedJSON: text, limits: RuleLimits(size: 100)) }
        let fields = (0..<20).map { #""f\#($0)": {}"# }.joined(separator: ",")
        let role = #"{"roles": [{"name": "a", "apply_when": {}, "fields": {\#(fields)}}]}"#
        #expect(throws: RuleError.self) { try RuleSet(extendedJSON: role, limits: RuleLimits(count: 19)) }
    }

    @Test func `mangled documents are refused or read, and nothing else`() throws {
        let text = Array(#"{"default": {"roles": [\#(Self.owner)]}}"#.utf8)
        var random = SeededRandom(test: "mangled rules")
        for _ in 0..<800 * soak {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 32..<127, using: &random)
                case 1: bytes.remove(at: at)
                default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: at)
                }
            }
            guard let rules = try? RuleSet(extendedJSON: String(decoding: bytes, as: UTF8.self)) else { continue }
            try expectEqual(RuleSet(.document(rules.document)), rules)
        }
    }
}
