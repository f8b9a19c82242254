extension ValidCases {
    static let int32: [ValidCase] = [
        ValidCase("0C0000001069000000008000", #"{"i":{"$numberInt":"-2147483648"}}"#, relaxed: #"{"i":-2147483648}"#),
        ValidCase("0C000000106900FFFFFF7F00", #"{"i":{"$numberInt":"2147483647"}}"#, relaxed: #"{"i":2147483647}"#),
        ValidCase("0C000000106900FFFFFFFF00", #"{"i":{"$numberInt":"-1"}}"#, relaxed: #"{"i":-1}"#),
        ValidCase("0C0000001069000000000000", #"{"i":{"$numberInt":"0"}}"#, relaxed: #"{"i":0}"#),
        ValidCase("0C0000001069000100000000", #"{"i":{"$numberInt":"1"}}"#, relaxed: #"{"i":1}"#),
    ]

    static let int64: [ValidCase] = [
        ValidCase(
            "10000000126100000000000000008000",
            #"{"a":{"$numberLong":"-9223372036854775808"}}"#,
            relaxed: #"{"a":-9223372036854775808}"#
        ),
        ValidCase(
            "10000000126100FFFFFFFFFFFFFF7F00",
            #"{"a":{"$numberLong":"9223372036854775807"}}"#,
            relaxed: #"{"a":9223372036854775807}"#
        ),
        ValidCase("10000000126100FFFFFFFFFFFFFFFF00", #"{"a":{"$numberLong":"-1"}}"#, relaxed: #"{"a":-1}"#),
        ValidCase("10000000126100000000000000000000", #"{"a":{"$numberLong":"0"}}"#, relaxed: #"{"a":0}"#),
        ValidCase("10000000126100010000000000000000", #"{"a":{"$numberLong":"1"}}"#, relaxed: #"{"a":1}"#),
    ]

    static let maxKey: [ValidCase] = [
        ValidCase("080000007F610000", #"{"a":{"$maxKey":1}}"#)
    ]

    static let minKey: [ValidCase] = [
        ValidCase("08000000FF610000", #"{"a":{"$minKey":1}}"#)
    ]

    static let null: [ValidCase] = [
        ValidCase("080000000A610000", #"{"a":null}"#)
    ]

    static let objectIds: [ValidCase] = [
        ValidCase("1400000007610000000000000000000000000000", #"{"a":{"$oid":"000000000000000000000000"}}"#),
        ValidCase("14000000076100FFFFFFFFFFFFFFFFFFFFFFFF00", #"{"a":{"$oid":"ffffffffffffffffffffffff"}}"#),
        ValidCase("1400000007610056E1FC72E0C917E9C471416100", #"{"a":{"$oid":"56e1fc72e0c917e9c4714161"}}"#),
    ]

    static let regularExpressions: [ValidCase] = [
        ValidCase("0A0000000B6100000000", #"{"a":{"$regularExpression":{"pattern":"","options":""}}}"#),
        ValidCase("0D0000000B6100616263000000", #"{"a":{"$regularExpression":{"pattern":"abc","options":""}}}"#),
        ValidCase(
            "0F0000000B610061626300696D0000",
            #"{"a":{"$regularExpression":{"pattern":"abc","options":"im"}}}"#,
            otherTexts: [#"{"a":{"$regularExpression":{"options":"im","pattern":"abc"}}}"#]
        ),
        ValidCase(
            "110000000B610061622F636400696D0000",
            #"{"a":{"$regularExpression":{"pattern":"ab/cd","options":"im"}}}"#
        ),
        ValidCase(
            "100000000B610061626300696D780000",
            #"{"a":{"$regularExpression":{"pattern":"abc","options":"imx"}}}"#,
            otherTexts: [#"{"a":{"$regularExpression":{"pattern":"abc","options":"mix"}}}"#],
            otherHex: ["100000000B6100616263006D69780000"]
        ),
        ValidCase(
            "100000000B610061625C226162000000",
            #"{"a":{"$regularExpression":{"pattern":"ab\\\"ab","options":""}}}"#
        ),
        ValidCase(
            "180000000B247265676578007061747465726E0069780000",
            #"{"$regex":{"$regularExpression":{"pattern":"pattern","options":"ix"}}}"#
        ),
        ValidCase(
            "270000000B247265676578007061747465726E000002246F7074696F6E73000300000069780000",
            #"{"$regex":{"$regularExpression":{"pattern":"pattern","options":""}},"$options":"ix"}"#
        ),
    ]

    static let strings: [ValidCase] = [
        ValidCase("0D000000026100010000000000", #"{"a":""}"#),
        ValidCase("0E00000002610002000000620000", #"{"a":"b"}"#),
        ValidCase("190000000261000D0000006162616261626162616261620000", #"{"a":"abababababab"}"#),
        ValidCase("190000000261000D000000C3A9C3A9C3A9C3A9C3A9C3A90000", #"{"a":"éééééé"}"#),
        ValidCase("190000000261000D000000E29886E29886E29886E298860000", #"{"a":"☆☆☆☆"}"#),
        ValidCase("190000000261000D0000006162006261620062616261620000", #"{"a":"ab\u0000bab\u0000babab"}"#),
        ValidCase(
            "320000000261002600000061625C220102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F61620000",
            #"""
            {"a":"ab\\\"\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001fab"}
            """#
        ),
    ]

    static let symbols: [ValidCase] = [
        ValidCase("0D0000000E6100010000000000", #"{"a":{"$symbol":""}}"#),
        ValidCase("0E0000000E610002000000620000", #"{"a":{"$symbol":"b"}}"#),
        ValidCase("190000000E61000D0000006162616261626162616261620000", #"{"a":{"$symbol":"abababababab"}}"#),
        ValidCase("190000000E61000D000000C3A9C3A9C3A9C3A9C3A9C3A90000", #"{"a":{"$symbol":"éééééé"}}"#),
        ValidCase("190000000E61000D000000E29886E29886E29886E298860000", #"{"a":{"$symbol":"☆☆☆☆"}}"#),
        ValidCase(
            "190000000E61000D0000006162006261620062616261620000",
            #"{"a":{"$symbol":"ab\u0000bab\u0000babab"}}"#
        ),
    ]

    static let timestamps: [ValidCase] = [
        ValidCase(
            "100000001161002A00000015CD5B0700",
            #"{"a":{"$timestamp":{"t":123456789,"i":42}}}"#,
            otherTexts: [#"{"a":{"$timestamp":{"i":42,"t":123456789}}}"#]
        ),
        ValidCase("10000000116100FFFFFFFFFFFFFFFF00", #"{"a":{"$timestamp":{"t":4294967295,"i":4294967295}}}"#),
        ValidCase("1000000011610000286BEE00286BEE00", #"{"a":{"$timestamp":{"t":4000000000,"i":4000000000}}}"#),
    ]

    static let keysAtTheTop: [ValidCase] = [
        ValidCase("0F00000010246B6579002A00000000", #"{"$key":{"$numberInt":"42"}}"#),
        ValidCase("0E00000002240002000000610000", #"{"$":"a"}"#),
        ValidCase("1000000002612E620002000000630000", #"{"a.b":"c"}"#),
        ValidCase("0E000000022E0002000000610000", #"{".":"a"}"#),
    ]

    static let undefined: [ValidCase] = [
        ValidCase("0800000006610000", #"{"a":{"$undefined":true}}"#)
    ]

    static let allTypes: [ValidCase] = [
        ValidCase(
            "F4010000075F69640057E193D7A9CC81B4027498B502537472696E670007000000737472696E670010496E743332002A"
                + "00000012496E743634002A0000000000000001446F75626C6500000000000000F0BF0542696E617279001000000003A3"
                + "4C38F7C3ABEDC8A37814A992AB8DB60542696E61727955736572446566696E656400050000008001020304050D436F64"
                + "65000E00000066756E6374696F6E2829207B7D000F436F64655769746853636F7065001B0000000E00000066756E6374"
                + "696F6E2829207B7D00050000000003537562646F63756D656E74001200000002666F6F00040000006261720000044172"
                + "72617900280000001030000100000010310002000000103200030000001033000400000010340005000000001154696D"
                + "657374616D7000010000002A0000000B5265676578007061747465726E0000094461746574696D6545706F6368000000"
                + "000000000000094461746574696D65506F73697469766500FFFFFF7F00000000094461746574696D654E656761746976"
                + "650000000080FFFFFFFF085472756500010846616C73650000034442526566003D0000000224726566000B000000636F"
                + "6C6C656374696F6E00072469640057FD71E96E32AB4225B723FB02246462000900000064617461626173650000FF4D69"
                + "6E6B6579007F4D61786B6579000A4E756C6C0000",
            #"""
            {"_id":{"$oid":"57e193d7a9cc81b4027498b5"},\#
            "String":"string",\#
            "Int32":{"$numberInt":"42"},\#
            "Int64":{"$numberLong":"42"},\#
            "Double":{"$numberDouble":"-1.0"},\#
            "Binary":{"$binary":{"base64":"o0w498Or7cijeBSpkquNtg==","subType":"03"}},\#
            "BinaryUserDefined":{"$binary":{"base64":"AQIDBAU=","subType":"80"}},\#
            "Code":{"$code":"function() {}"},\#
            "CodeWithScope":{"$code":"function() {}","$scope":{}},\#
            "Subdocument":{"foo":"bar"},\#
            "Array":[{"$numberInt":"1"},{"$numberInt":"2"},{"$numberInt":"3"},{"$numberInt":"4"},{"$numberInt":"5"}],\#
            "Timestamp":{"$timestamp":{"t":42,"i":1}},\#
            "Regex":{"$regularExpression":{"pattern":"pattern","options":""}},\#
            "DatetimeEpoch":{"$date":{"$numberLong":"0"}},\#
            "DatetimePositive":{"$date":{"$numberLong":"2147483647"}},\#
            "DatetimeNegative":{"$date":{"$numberLong":"-2147483648"}},\#
            "True":true,"False":false,"DBRef":{"$ref":"collection","$id":{"$oid":"57fd71e96e32ab4225b723fb"},"$db":"database"},\#
            "Minkey":{"$minKey":1},\#
            "Maxkey":{"$maxKey":1},\#
            "Null":null}
            """#
        )
    ]

    static let allTypesAndDeprecatedOnes: [ValidCase] = [
        ValidCase(
            "38020000075F69640057E193D7A9CC81B4027498B50E53796D626F6C000700000073796D626F6C0002537472696E6700"
                + "07000000737472696E670010496E743332002A00000012496E743634002A0000000000000001446F75626C6500000000"
                + "000000F0BF0542696E617279001000000003A34C38F7C3ABEDC8A37814A992AB8DB60542696E61727955736572446566"
                + "696E656400050000008001020304050D436F6465000E00000066756E6374696F6E2829207B7D000F436F646557697468"
                + "53636F7065001B0000000E00000066756E6374696F6E2829207B7D00050000000003537562646F63756D656E74001200"
                + "000002666F6F000400000062617200000441727261790028000000103000010000001031000200000010320003000000"
                + "1033000400000010340005000000001154696D657374616D7000010000002A0000000B5265676578007061747465726E"
                + "0000094461746574696D6545706F6368000000000000000000094461746574696D65506F73697469766500FFFFFF7F00"
                + "000000094461746574696D654E656761746976650000000080FFFFFFFF085472756500010846616C736500000C444250"
                + "6F696E746572000B000000636F6C6C656374696F6E0057E193D7A9CC81B4027498B1034442526566003D000000022472"
                + "6566000B000000636F6C6C656374696F6E00072469640057FD71E96E32AB4225B723FB02246462000900000064617461"
                + "626173650000FF4D696E6B6579007F4D61786B6579000A4E756C6C0006556E646566696E65640000",
            #"""
            {"_id":{"$oid":"57e193d7a9cc81b4027498b5"},\#
            "Symbol":{"$symbol":"symbol"},\#
            "String":"string",\#
            "Int32":{"$numberInt":"42"},\#
            "Int64":{"$numberLong":"42"},\#
            "Double":{"$numberDouble":"-1.0"},\#
            "Binary":{"$binary":{"base64":"o0w498Or7cijeBSpkquNtg==","subType":"03"}},\#
            "BinaryUserDefined":{"$binary":{"base64":"AQIDBAU=","subType":"80"}},\#
            "Code":{"$code":"function() {}"},\#
            "CodeWithScope":{"$code":"function() {}","$scope":{}},\#
            "Subdocument":{"foo":"bar"},\#
            "Array":[{"$numberInt":"1"},{"$numberInt":"2"},{"$numberInt":"3"},{"$numberInt":"4"},{"$numberInt":"5"}],\#
            "Timestamp":{"$timestamp":{"t":42,"i":1}},\#
            "Regex":{"$regularExpression":{"pattern":"pattern","options":""}},\#
            "DatetimeEpoch":{"$date":{"$numberLong":"0"}},\#
            "DatetimePositive":{"$date":{"$numberLong":"2147483647"}},\#
            "DatetimeNegative":{"$date":{"$numberLong":"-2147483648"}},\#
            "True":true,"False":false,"DBPointer":{"$dbPointer":{"$ref":"collection","$id":{"$oid":"57e193d7a9cc81b4027498b1"}}},\#
            "DBRef":{"$ref":"collection","$id":{"$oid":"57fd71e96e32ab4225b723fb"},"$db":"database"},\#
            "Minkey":{"$minKey":1},\#
            "Maxkey":{"$maxKey":1},\#
            "Null":null,"Undefined":{"$undefined":true}}
            """#
        )
    ]
}
