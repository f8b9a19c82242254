import Freehold
import Testing

@Suite("Naming policies")
struct NamingPolicyTests {
    /// The declared names, then those in snake_case, kebab-case, camelCase and PascalCase.
    static let table: [[String]] = [
        ["firstName", "first_name", "first-name", "firstName", "FirstName"],
        ["name", "name", "name", "name", "Name"],
        ["_id", "_id", "_id", "_id", "_id"],
        ["_partition", "_partition", "_partition", "_partition", "_Partition"],
        ["__ownerID", "__owner_id", "__owner-id", "__ownerID", "__OwnerID"],
        ["class_", "class_", "class_", "class_", "Class_"],
        ["URLString", "url_string", "url-string", "urlString", "URLString"],
        ["myURL", "my_url", "my-url", "myURL", "MyURL"],
        ["HTMLParser", "html_parser", "html-parser", "htmlParser", "HTMLParser"],
        ["parseHTMLNow", "parse_html_now", "parse-html-now", "parseHTMLNow", "ParseHTMLNow"],
        ["userIDs", "user_ids", "user-ids", "userIDs", "UserIDs"],
        ["URLsSeen", "urls_seen", "urls-seen", "urlsSeen", "URLsSeen"],
        ["IDsOf2", "ids_of2", "ids-of2", "idsOf2", "IDsOf2"],
        ["address2", "address2", "address2", "address2", "Address2"],
        ["address2Line", "address2_line", "address2-line", "address2Line", "Address2Line"],
        ["line2nd", "line2nd", "line2nd", "line2nd", "Line2nd"],
        ["HTTP2Server", "http2_server", "http2-server", "http2Server", "HTTP2Server"],
        ["base64URL", "base64_url", "base64-url", "base64URL", "Base64URL"],
        ["line_2", "line_2", "line-2", "line2", "Line2"],
        ["first_name", "first_name", "first-name", "firstName", "FirstName"],
        ["first__name", "first_name", "first-name", "firstName", "FirstName"],
        ["FIRST_NAME", "first_name", "first-name", "firstName", "FirstName"],
        ["first-name", "first_name", "first-name", "firstName", "FirstName"],
        ["first name", "first_name", "first-name", "firstName", "FirstName"],
        ["NaturalEarthCity", "natural_earth_city", "natural-earth-city", "naturalEarthCity", "NaturalEarthCity"],
        ["x", "x", "x", "x", "X"],
        ["X", "x", "x", "x", "X"],
        ["isA", "is_a", "is-a", "isA", "IsA"],
        ["éclairName", "éclair_name", "éclair-name", "éclairName", "ÉclairName"],
        ["größeÄußere", "größe_äußere", "größe-äußere", "größeÄußere", "GrößeÄußere"],
        ["ßtreet", "ßtreet", "ßtreet", "ßtreet", "ßtreet"],
        ["имяПоля", "имя_поля", "имя-поля", "имяПоля", "ИмяПоля"],
        ["名前", "名前", "名前", "名前", "名前"],
        ["_", "_", "_", "_", "_"],
        ["__", "__", "__", "__", "__"],
        ["", "", "", "", ""],
    ]

    @Test(arguments: table)
    func `a name is split into words that are joined by the policy`(_ row: [String]) {
        let policies: [NamingPolicy] = [.asDeclared, .snakeCase, .kebabCase, .camelCase, .pascalCase]
        expectEqual(policies.map { $0.storedName(of: row[0]) }, row)
    }

    @Test(arguments: table)
    func `a policy doesn't change a name that follows it`(_ row: [String]) {
        for policy in NamingPolicy.allCases {
            let once = policy.storedName(of: row[0])
            expectEqual(policy.storedName(of: once), once)
        }
    }
}
