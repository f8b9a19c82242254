import Testing

/// Bytes and their texts.
struct ValidCase: Sendable, CustomTestStringConvertible {
    let hex: String
    let canonical: String
    /// The relaxed text, if it differs from the canonical text.
    let relaxed: String?
    /// Texts that are read as the same, but written differently.
    let otherTexts: [String]
    /// Bytes that are read as the same, but written differently.
    let otherHex: [String]
    /// Whether the text loses bits.
    let isLossy: Bool

    init(
        _ hex: String,
        _ canonical: String,
        relaxed: String? = nil,
        otherTexts: [String] = [],
        otherHex: [String] = [],
        isLossy: Bool = false
    ) {
        self.hex = hex
        self.canonical = canonical
        self.relaxed = relaxed
        self.otherTexts = otherTexts
        self.otherHex = otherHex
        self.isLossy = isLossy
    }

    var testDescription: String { canonical }
}

/// Every BSON type: the facts of the BSON corpus, and some more.
enum ValidCases {
    static let arrays: [ValidCase] = [
        ValidCase("0D000000046100050000000000", #"{"a":[]}"#),
        ValidCase(
            "140000000461000C0000001030000A0000000000",
            #"{"a":[{"$numberInt":"10"}]}"#,
            otherHex: ["130000000461000B00000010000A0000000000", "150000000461000D000000106162000A0000000000"]
        ),
        ValidCase(
            "1B000000046100130000001030000A000000103100140000000000",
            #"{"a":[{"$numberInt":"10"},{"$numberInt":"20"}]}"#,
            otherHex: ["1B000000046100130000001030000A000000103000140000000000"]
        ),
    ]

    static let binary: [ValidCase] = [
        ValidCase(
            "0D000000057800000000000000",
            #"{"x":{"$binary":{"base64":"","subType":"00"}}}"#,
            otherTexts: [#"{"x":{"$binary":{"subType":"00","base64":""}}}"#]
        ),
        ValidCase("0F0000000578000200000000FFFF00", #"{"x":{"$binary":{"base64":"//8=","subType":"00"}}}"#),
        ValidCase("0F0000000578000200000001FFFF00", #"{"x":{"$binary":{"base64":"//8=","subType":"01"}}}"#),
        ValidCase("13000000057800060000000202000000FFFF00", #"{"x":{"$binary":{"base64":"//8=","subType":"02"}}}"#),
        ValidCase(
            "1D000000057800100000000373FFD26444B34C6990E8E7D1DFC035D400",
            #"{"x":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"03"}}}"#
        ),
        ValidCase(
            "1D000000057800100000000473FFD26444B34C6990E8E7D1DFC035D400",
            #"{"x":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"04"}}}"#,
            otherTexts: [#"{"x":{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}}"#]
        ),
        ValidCase(
            "1D000000057800100000000573FFD26444B34C6990E8E7D1DFC035D400",
            #"{"x":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"05"}}}"#
        ),
        ValidCase(
            "1D000000057800100000000773FFD26444B34C6990E8E7D1DFC035D400",
            #"{"x":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"07"}}}"#
        ),
        ValidCase(
            "1D000000057800100000000873FFD26444B34C6990E8E7D1DFC035D400",
            #"{"x":{"$binary":{"base64":"c//SZESzTGmQ6OfR38A11A==","subType":"08"}}}"#
        ),
        ValidCase("0F0000000578000200000080FFFF00", #"{"x":{"$binary":{"base64":"//8=","subType":"80"}}}"#),
        ValidCase("1F000000037800170000000224747970650007000000737472696E67000000", #"{"x":{"$type":"string"}}"#),
        ValidCase("180000000378001000000010247479706500020000000000", #"{"x":{"$type":{"$numberInt":"2"}}}"#),
        ValidCase(
            "170000000578000A0000000927000000FE420000E04000",
            #"{"x":{"$binary":{"base64":"JwAAAP5CAADgQA==","subType":"09"}}}"#
        ),
        ValidCase("11000000057800040000000903007F0700", #"{"x":{"$binary":{"base64":"AwB/Bw==","subType":"09"}}}"#),
        ValidCase("11000000057800040000000910007F0700", #"{"x":{"$binary":{"base64":"EAB/Bw==","subType":"09"}}}"#),
        ValidCase("0F0000000578000200000009270000", #"{"x":{"$binary":{"base64":"JwA=","subType":"09"}}}"#),
        ValidCase("0F0000000578000200000009030000", #"{"x":{"$binary":{"base64":"AwA=","subType":"09"}}}"#),
        ValidCase("0F0000000578000200000009100000", #"{"x":{"$binary":{"base64":"EAA=","subType":"09"}}}"#),
    ]

    static let bools: [ValidCase] = [
        ValidCase("090000000862000100", #"{"b":true}"#),
        ValidCase("090000000862000000", #"{"b":false}"#),
    ]

    static let javascript: [ValidCase] = [
        ValidCase("0D0000000D6100010000000000", #"{"a":{"$code":""}}"#),
        ValidCase("0E0000000D610002000000620000", #"{"a":{"$code":"b"}}"#),
        ValidCase("190000000D61000D0000006162616261626162616261620000", #"{"a":{"$code":"abababababab"}}"#),
        ValidCase("190000000D61000D000000C3A9C3A9C3A9C3A9C3A9C3A90000", #"{"a":{"$code":"éééééé"}}"#),
        ValidCase("190000000D61000D000000E29886E29886E29886E298860000", #"{"a":{"$code":"☆☆☆☆"}}"#),
        ValidCase("190000000D61000D0000006162006261620062616261620000", #"{"a":{"$code":"ab\u0000bab\u0000babab"}}"#),
    ]

    static let javascriptWithScope: [ValidCase] = [
        ValidCase("160000000F61000E0000000100000000050000000000", #"{"a":{"$code":"","$scope":{}}}"#),
        ValidCase("1A0000000F610012000000050000006162636400050000000000", #"{"a":{"$code":"abcd","$scope":{}}}"#),
        ValidCase(
            "1D0000000F61001500000001000000000C000000107800010000000000",
            #"{"a":{"$code":"","$scope":{"x":{"$numberInt":"1"}}}}"#
        ),
        ValidCase(
            "210000000F6100190000000500000061626364000C000000107800010000000000",
            #"{"a":{"$code":"abcd","$scope":{"x":{"$numberInt":"1"}}}}"#
        ),
        ValidCase("1A0000000F61001200000005000000C3A9006400050000000000", #"{"a":{"$code":"é\u0000d","$scope":{}}}"#),
    ]

    static let dates: [ValidCase] = [
        ValidCase(
            "10000000096100000000000000000000",
            #"{"a":{"$date":{"$numberLong":"0"}}}"#,
            relaxed: #"{"a":{"$date":"1970-01-01T00:00:00Z"}}"#
        ),
        ValidCase(
            "10000000096100C5D8D6CC3B01000000",
            #"{"a":{"$date":{"$numberLong":"1356351330501"}}}"#,
            relaxed: #"{"a":{"$date":"2012-12-24T12:15:30.501Z"}}"#
        ),
        ValidCase("10000000096100C33CE7B9BDFFFFFF00", #"{"a":{"$date":{"$numberLong":"-284643869501"}}}"#),
        ValidCase("1000000009610000DC1FD277E6000000", #"{"a":{"$date":{"$numberLong":"253402300800000"}}}"#),
        ValidCase(
            "10000000096100D1D6D6CC3B01000000",
            #"{"a":{"$date":{"$numberLong":"1356351330001"}}}"#,
            relaxed: #"{"a":{"$date":"2012-12-24T12:15:30.001Z"}}"#
        ),
    ]

    static let dbPointers: [ValidCase] = [
        ValidCase(
            "1A0000000C610002000000620056E1FC72E0C917E9C471416100",
            #"{"a":{"$dbPointer":{"$ref":"b","$id":{"$oid":"56e1fc72e0c917e9c4714161"}}}}"#,
            otherTexts: [#"{"a":{"$dbPointer":{"$id":{"$oid":"56e1fc72e0c917e9c4714161"},"$ref":"b"}}}"#]
        ),
        ValidCase(
            "1B0000000C610003000000C3A90056E1FC72E0C917E9C471416100",
            #"{"a":{"$dbPointer":{"$ref":"é","$id":{"$oid":"56e1fc72e0c917e9c4714161"}}}}"#
        ),
    ]

    static let dbReferences: [ValidCase] = [
        ValidCase(
            "37000000036462726566002B0000000224726566000B000000636F6C6C656374696F6E00072469640058921B3E6E32AB156A22B59E0000",
            #"{"dbref":{"$ref":"collection","$id":{"$oid":"58921b3e6e32ab156a22b59e"}}}"#
        ),
        ValidCase(
            "4300000003646272656600370000000224726566000B000000636F6C6C656374696F6E00072469640058921B3E6E32AB156A22B59E0224646200030000006462000000",
            #"{"dbref":{"$ref":"collection","$id":{"$oid":"58921b3e6e32ab156a22b59e"},"$db":"db"}}"#
        ),
        ValidCase(
            "48000000036462726566003C0000000224726566000B000000636F6C6C656374696F6E0010246964002A00000002246462000300000064620002666F6F0004000000626172000000",
            #"{"dbref":{"$ref":"collection","$id":{"$numberInt":"42"},"$db":"db","foo":"bar"}}"#
        ),
        ValidCase(
            "4400000003646272656600380000000224726566000B000000636F6C6C656374696F6E00072469640058921B3E6E32AB156A22B59E02666F6F0004000000626172000000",
            #"{"dbref":{"$ref":"collection","$id":{"$oid":"58921b3e6e32ab156a22b59e"},"foo":"bar"}}"#
        ),
        ValidCase(
            "3E0000000224726566000C0000006E6F742D612D646272656600072469640058921B3E6E32AB156A22B59E022462616E616E6100050000007065656C0000",
            #"{"$ref":"not-a-dbref","$id":{"$oid":"58921b3e6e32ab156a22b59e"},"$banana":"peel"}"#
        ),
        ValidCase(
            "48000000036462726566003C0000000224726566000B000000636F6C6C656374696F6E00072469640058921B3E6E32AB156A22B59E10612E62000100000010246300010000000000",
            #"""
            {"dbref":{"$ref":"collection","$id":{"$oid":"58921b3e6e32ab156a22b59e"},"a.b":{"$numberInt":"1"},"$c":{"$numberInt":"1"}}}
            """#
        ),
        ValidCase(
            "26000000036462726566001A0000000224726566000B000000636F6C6C656374696F6E000000",
            #"{"dbref":{"$ref":"collection"}}"#
        ),
        ValidCase(
            "2C000000036462726566002000000010247265660001000000072469640058921B3E6E32AB156A22B59E0000",
            #"{"dbref":{"$ref":{"$numberInt":"1"},"$id":{"$oid":"58921b3e6e32ab156a22b59e"}}}"#
        ),
        ValidCase(
            "4000000003646272656600340000000224726566000B000000636F6C6C656374696F6E00072469640058921B3E6E32AB156A22B59E1024646200010000000000",
            #"""
            {"dbref":{"$ref":"collection","$id":{"$oid":"58921b3e6e32ab156a22b59e"},"$db":{"$numberInt":"1"}}}
            """#
        ),
    ]

    static let documents: [ValidCase] = [
        ValidCase("0D000000037800050000000000", #"{"x":{}}"#),
        ValidCase("150000000378000D00000002000200000062000000", #"{"x":{"":"b"}}"#),
        ValidCase("160000000378000E0000000261000200000062000000", #"{"x":{"a":"b"}}"#),
        ValidCase("170000000378000F000000022461000200000062000000", #"{"x":{"$a":"b"}}"#),
        ValidCase("160000000378000E0000000224000200000061000000", #"{"x":{"$":"a"}}"#),
        ValidCase("180000000378001000000002612E62000200000063000000", #"{"x":{"a.b":"c"}}"#),
        ValidCase("160000000378000E000000022E000200000061000000", #"{"x":{".":"a"}}"#),
    ]

    static let doubles: [ValidCase] = [
        ValidCase("10000000016400000000000000F03F00", #"{"d":{"$numberDouble":"1.0"}}"#, relaxed: #"{"d":1.0}"#),
        ValidCase("10000000016400000000000000F0BF00", #"{"d":{"$numberDouble":"-1.0"}}"#, relaxed: #"{"d":-1.0}"#),
        ValidCase(
            "10000000016400000000008000F03F00",
            #"{"d":{"$numberDouble":"1.0001220703125"}}"#,
            relaxed: #"{"d":1.0001220703125}"#
        ),
        ValidCase(
            "10000000016400000000008000F0BF00",
            #"{"d":{"$numberDouble":"-1.0001220703125"}}"#,
            relaxed: #"{"d":-1.0001220703125}"#
        ),
        ValidCase(
            "100000000164002A1BF5F41022B14300",
            #"{"d":{"$numberDouble":"1.2345678921232E+18"}}"#,
            relaxed: #"{"d":1.2345678921232E+18}"#
        ),
        ValidCase(
            "100000000164002A1BF5F41022B1C300",
            #"{"d":{"$numberDouble":"-1.2345678921232E+18"}}"#,
            relaxed: #"{"d":-1.2345678921232E+18}"#
        ),
        ValidCase("10000000016400000000000000000000", #"{"d":{"$numberDouble":"0.0"}}"#, relaxed: #"{"d":0.0}"#),
        ValidCase("10000000016400000000000000008000", #"{"d":{"$numberDouble":"-0.0"}}"#, relaxed: #"{"d":-0.0}"#),
        ValidCase("10000000016400000000000000F87F00", #"{"d":{"$numberDouble":"NaN"}}"#, isLossy: true),
        ValidCase("10000000016400120000000000F87F00", #"{"d":{"$numberDouble":"NaN"}}"#, isLossy: true),
        ValidCase("10000000016400000000000000F07F00", #"{"d":{"$numberDouble":"Infinity"}}"#),
        ValidCase("10000000016400000000000000F0FF00", #"{"d":{"$numberDouble":"-Infinity"}}"#),
    ]

    static let all: [ValidCase] = [
        arrays, binary, bools, javascript, javascriptWithScope, dates, dbPointers, dbReferences, documents, doubles,
        int32, int64, maxKey, minKey, null, objectIds, regularExpressions, strings, symbols, timestamps, keysAtTheTop,
        undefined, allTypes, allTypesAndDeprecatedOnes, more,
    ].flatMap { $0 }
}
