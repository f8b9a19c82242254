extension ValidCases {
    /// Cases that the corpus doesn't have.
    static let more: [ValidCase] = [
        ValidCase("0500000000", #"{}"#),
        ValidCase(
            "10000000057800030000000601020300",
            #"{"x":{"$binary":{"base64":"AQID","subType":"06"}}}"#,
            otherTexts: [#"{"x":{"$binary":{"base64":"AQID","subType":"6"}}}"#]
        ),
        ValidCase(
            "0E00000005780001000000FFFF00",
            #"{"x":{"$binary":{"base64":"/w==","subType":"ff"}}}"#,
            otherTexts: [#"{"x":{"$binary":{"base64":"/w==","subType":"FF"}}}"#]
        ),
        ValidCase("0F0000000578000200000004010200", #"{"x":{"$binary":{"base64":"AQI=","subType":"04"}}}"#),
        ValidCase("10000000096100000000000000008000", #"{"a":{"$date":{"$numberLong":"-9223372036854775808"}}}"#),
        ValidCase("10000000096100FFFFFFFFFFFFFF7F00", #"{"a":{"$date":{"$numberLong":"9223372036854775807"}}}"#),
        ValidCase("10000000096100FFFFFFFFFFFFFFFF00", #"{"a":{"$date":{"$numberLong":"-1"}}}"#),
        ValidCase("100000000961000028D3ED7CC7FFFF00", #"{"a":{"$date":{"$numberLong":"-62135596800000"}}}"#),
        ValidCase(
            "10000000096100FFDB1FD277E6000000",
            #"{"a":{"$date":{"$numberLong":"253402300799999"}}}"#,
            relaxed: #"{"a":{"$date":"9999-12-31T23:59:59.999Z"}}"#,
            otherTexts: [#"{"a":{"$date":"9999-12-31T22:29:59.999-01:30"}}"#]
        ),
        ValidCase(
            "1000000009610000E0A69ADD00000000",
            #"{"a":{"$date":{"$numberLong":"951782400000"}}}"#,
            relaxed: #"{"a":{"$date":"2000-02-29T00:00:00Z"}}"#,
            otherTexts: [
                #"{"a":{"$date":"2000-02-29T00:00:00.000000Z"}}"#, #"{"a":{"$date":"2000-02-29t01:00:00.0+0100"}}"#,
            ]
        ),
        ValidCase(
            "1400000002610008000000F09F9880C3A97F0000",
            #"{"a":"😀é\#u{7F}"}"#,
            otherTexts: [#"{"a":"\ud83d\uDE00\u00e9\u007F"}"#]
        ),
        ValidCase(
            "10000000026100040000002F0A220000",
            #"{"a":"/\n\""}"#,
            otherTexts: [#"{"a":"\/\u000a\u0022"}"#, " \t{\"a\":\"/\\n\\\"\"}\n"]
        ),
        ValidCase("1800000002C3A90001000000000265CC8100010000000000", #"{"é":"","e\#u{301}":""}"#),
        ValidCase("0B00000010000100000000", #"{"":{"$numberInt":"1"}}"#, relaxed: #"{"":1}"#),
        ValidCase(
            "10000000016400010000000000000000",
            #"{"d":{"$numberDouble":"5E-324"}}"#,
            relaxed: #"{"d":5E-324}"#,
            otherTexts: [#"{"d":4.9406564584124654e-324}"#]
        ),
        ValidCase(
            "10000000016400FFFFFFFFFFFFEF7F00",
            #"{"d":{"$numberDouble":"1.7976931348623157E+308"}}"#,
            relaxed: #"{"d":1.7976931348623157E+308}"#
        ),
        ValidCase(
            "100000000164000080E03779C3414300",
            #"{"d":{"$numberDouble":"1E+16"}}"#,
            relaxed: #"{"d":1E+16}"#,
            otherTexts: [#"{"d":1e16}"#, #"{"d":10000000000000000.0}"#]
        ),
        ValidCase(
            "10000000016400000000000000E04300",
            #"{"d":{"$numberDouble":"9.223372036854776E+18"}}"#,
            relaxed: #"{"d":9.223372036854776E+18}"#,
            otherTexts: [#"{"d":9223372036854775808}"#]
        ),
        ValidCase(
            "10000000126900000000800000000000",
            #"{"i":{"$numberLong":"2147483648"}}"#,
            relaxed: #"{"i":2147483648}"#
        ),
        ValidCase(
            "110000000B72006100696C6D7375780000",
            #"{"r":{"$regularExpression":{"pattern":"a","options":"ilmsux"}}}"#,
            otherTexts: [#"{"r":{"$regularExpression":{"options":"xusmli","pattern":"a"}}}"#],
            otherHex: ["110000000B720061007875736D6C690000"]
        ),
        ValidCase(
            "2B00000003780023000000022472656765780002000000610002246F7074696F6E73000200000069000000",
            #"{"x":{"$regex":"a","$options":"i"}}"#
        ),
        ValidCase(
            "330000000461002B0000000A30000A31000A32000A33000A34000A35000A36000A37000A38000A39000A3130000A3131"
                + "000000",
            #"{"a":[null,null,null,null,null,null,null,null,null,null,null,null]}"#,
            otherHex: [
                "31000000046100290000000A78000A78000A78000A78000A78000A78000A78000A78000A78000A78000A78000A780000"
                    + "00"
            ]
        ),
        ValidCase(
            "270000000F61001F0000000200000066001500000007696400000102030405060708090A0B0000",
            #"{"a":{"$code":"f","$scope":{"id":{"$oid":"000102030405060708090a0b"}}}}"#,
            otherTexts: [#"{"a":{"$scope":{"id":{"$oid":"000102030405060708090A0B"}},"$code":"f"}}"#]
        ),
    ]
}
