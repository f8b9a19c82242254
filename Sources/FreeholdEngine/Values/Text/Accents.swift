/// The removal of accents from characters: Unicode's canonical decomposition without the marks that combine with a letter (those with a combining
/// class). Composed and decomposed text therefore have the same result.
enum Accents {
    /// Calls `body` with each remaining scalar. Most characters have one, and a mark has none.
    @inline(__always)
    static func forEachBase(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar < 0x2000 {
            let base = table[Int(scalar)]
            if base != severalParts {
                if base != nothing { body(base) }
                return
            }
        }
        forEachPart(of: scalar, body)
    }

    private static let nothing = UInt32.max
    private static let severalParts = UInt32.max - 1
    /// The remaining scalar for each code point below 0x2000.
    private static let table: [UInt32] = (0..<UInt32(0x2000)).map { scalar in
        var base = nothing
        forEachPart(of: scalar) { base = base == nothing ? $0 : severalParts }
        return base
    }

    private static func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar &- 0xac00 < 11172 {
            // A Hangul syllable consists of two or three letters.
            let i = scalar &- 0xac00
            body(0x1100 + i / 588)
            body(0x1161 + i % 588 / 28)
            if i % 28 != 0 { body(0x11a7 + i % 28) }
            return
        }
        if let base = bases[scalar] { return body(base) }
        if let parts = parts[scalar] { return parts.forEach(body) }
        if isMark(scalar) { return }
        body(scalar)
    }

    private static func isMark(_ scalar: UInt32) -> Bool {
        guard scalar >= 0x300, let scalar = Unicode.Scalar(scalar) else { return false }
        return scalar.properties.canonicalCombiningClass.rawValue != 0 || vowelMarks.contains(scalar.value)
    }

    private static let bases: [UInt32: UInt32] = {
        var all: [UInt32: UInt32] = [:]
        for group in groups.unicodeScalars.split(separator: " ") {
            for scalar in group.dropFirst() { all[scalar.value] = group.first!.value }
        }
        return all
    }()

    /// Tibetan vowel signs that consist only of marks.
    private static let vowelMarks: [UInt32] = [0xf73, 0xf75, 0xf81]

    /// The parts of each composed character without marks, for characters with more than one part.
    private static let parts: [UInt32: [UInt32]] = [
        0x9cb: [0x9c7, 0x9be], 0x9cc: [0x9c7, 0x9d7], 0xb48: [0xb47, 0xb56], 0xb4b: [0xb47, 0xb3e],
        0xb4c: [0xb47, 0xb57], 0xb94: [0xb92, 0xbd7], 0xbca: [0xbc6, 0xbbe], 0xbcb: [0xbc7, 0xbbe],
        0xbcc: [0xbc6, 0xbd7], 0xcc0: [0xcbf, 0xcd5], 0xcc7: [0xcc6, 0xcd5], 0xcc8: [0xcc6, 0xcd6],
        0xcca: [0xcc6, 0xcc2], 0xccb: [0xcc6, 0xcc2, 0xcd5], 0xd4a: [0xd46, 0xd3e], 0xd4b: [0xd47, 0xd3e],
        0xd4c: [0xd46, 0xd57], 0xddc: [0xdd9, 0xdcf], 0xddd: [0xdd9, 0xdcf], 0xdde: [0xdd9, 0xddf],
        0xf43: [0xf42, 0xfb7], 0xf4d: [0xf4c, 0xfb7], 0xf52: [0xf51, 0xfb7], 0xf57: [0xf56, 0xfb7],
        0xf5c: [0xf5b, 0xfb7], 0xf69: [0xf40, 0xfb5], 0xf93: [0xf92, 0xfb7], 0xf9d: [0xf9c, 0xfb7],
        0xfa2: [0xfa1, 0xfb7], 0xfa7: [0xfa6, 0xfb7], 0xfac: [0xfab, 0xfb7], 0xfb9: [0xf90, 0xfb5],
        0x1026: [0x1025, 0x102e], 0x1b06: [0x1b05, 0x1b35], 0x1b08: [0x1b07, 0x1b35], 0x1b0a: [0x1b09, 0x1b35],
        0x1b0c: [0x1b0b, 0x1b35], 0x1b0e: [0x1b0d, 0x1b35], 0x1b12: [0x1b11, 0x1b35], 0x1b3b: [0x1b3a, 0x1b35],
        0x1b3d: [0x1b3c, 0x1b35], 0x1b40: [0x1b3e, 0x1b35], 0x1b41: [0x1b3f, 0x1b35], 0x1b43: [0x1b42, 0x1b35],
        0x1112e: [0x11131, 0x11127], 0x1112f: [0x11132, 0x11127], 0x1134b: [0x11347, 0x1133e],
        0x1134c: [0x11347, 0x11357], 0x114bb: [0x114b9, 0x114ba], 0x114bc: [0x114b9, 0x114b0],
        0x114be: [0x114b9, 0x114bd], 0x115ba: [0x115b8, 0x115af], 0x115bb: [0x115b9, 0x115af],
        0x11938: [0x11935, 0x11930],
    ]

    /// Groups of a letter followed by the characters whose result is that letter.
    private static let groups = """
        \u{3b}\u{37e} \u{3c}\u{226e} \u{3d}\u{2260} \u{3e}\u{226f} AÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦḀẠẢẤẦẨẪẬẮẰẲẴẶ\u{212b} BḂḄḆ \
        CÇĆĈĊČḈ DĎḊḌḎḐḒ EÈÉÊËĒĔĖĘĚȄȆȨḔḖḘḚḜẸẺẼẾỀỂỄỆ FḞ GĜĞĠĢǦǴḠ HĤȞḢḤḦḨḪ IÌÍÎÏĨĪĬĮİǏȈȊḬḮỈỊ JĴ KĶǨḰḲḴ\u{212a} LĹĻĽḶḸḺḼ \
        MḾṀṂ NÑŃŅŇǸṄṆṈṊ OÒÓÔÕÖŌŎŐƠǑǪǬȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢ PṔṖ RŔŖŘȐȒṘṚṜṞ SŚŜŞŠȘṠṢṤṦṨ TŢŤȚṪṬṮṰ \
        UÙÚÛÜŨŪŬŮŰŲƯǓǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰ VṼṾ WŴẀẂẄẆẈ XẊẌ YÝŶŸȲẎỲỴỶỸ ZŹŻŽẐẒẔ \u{60}\u{1fef} \
        aàáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ bḃḅḇ cçćĉċčḉ dďḋḍḏḑḓ eèéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ fḟ gĝğġģǧǵḡ hĥȟḣḥḧḩḫẖ \
        iìíîïĩīĭįǐȉȋḭḯỉị jĵǰ kķǩḱḳḵ lĺļľḷḹḻḽ mḿṁṃ nñńņňǹṅṇṉṋ oòóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ pṕṗ rŕŗřȑȓṙṛṝṟ \
        sśŝşšșṡṣṥṧṩ tţťțṫṭṯṱẗ uùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự vṽṿ wŵẁẃẅẇẉẘ xẋẍ yýÿŷȳẏẙỳỵỷỹ zźżžẑẓẕ \
        \u{a8}\u{385}\u{1fc1}\u{1fed}\u{1fee} \u{b4}\u{1ffd} \u{b7}\u{387} ÆǢǼ ØǾ æǣǽ øǿ ſẛ ƷǮ ʒǯ ʹ\u{374} \
        ΑΆἈἉἊἋἌἍἎἏᾈᾉᾊᾋᾌᾍᾎᾏᾸᾹᾺ\u{1fbb}ᾼ ΕΈἘἙἚἛἜἝῈ\u{1fc9} ΗΉἨἩἪἫἬἭἮἯᾘᾙᾚᾛᾜᾝᾞᾟῊ\u{1fcb}ῌ ΙΊΪἸἹἺἻἼἽἾἿῘῙῚ\u{1fdb} \
        ΟΌὈὉὊὋὌὍῸ\u{1ff9} ΡῬ ΥΎΫὙὛὝὟῨῩῪ\u{1feb} ΩΏὨὩὪὫὬὭὮὯᾨᾩᾪᾫᾬᾭᾮᾯῺ\u{1ffb}ῼ\u{2126} \
        αάἀἁἂἃἄἅἆἇὰ\u{1f71}ᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ εέἐἑἒἓἔἕὲ\u{1f73} ηήἠἡἢἣἤἥἦἧὴ\u{1f75}ᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ \
        ιΐίϊἰἱἲἳἴἵἶἷὶ\u{1f77}\u{1fbe}ῐῑῒ\u{1fd3}ῖῗ οόὀὁὂὃὄὅὸ\u{1f79} ρῤῥ υΰϋύὐὑὒὓὔὕὖὗὺ\u{1f7b}ῠῡῢ\u{1fe3}ῦῧ \
        ωώὠὡὢὣὤὥὦὧὼ\u{1f7d}ᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ ϒϓϔ ІЇ АӐӒ ГЃ ЕЀЁӖ ЖӁӜ ЗӞ ИЍЙӢӤ КЌ ОӦ УЎӮӰӲ ЧӴ ЫӸ ЭӬ аӑӓ гѓ еѐёӗ жӂӝ зӟ \
        ийѝӣӥ кќ оӧ уўӯӱӳ чӵ ыӹ эӭ ії ѴѶ ѵѷ ӘӚ әӛ ӨӪ өӫ \u{5d0}\u{fb2e}\u{fb2f}\u{fb30} \u{5d1}\u{fb31}\u{fb4c} \
        \u{5d2}\u{fb32} \u{5d3}\u{fb33} \u{5d4}\u{fb34} \u{5d5}\u{fb35}\u{fb4b} \u{5d6}\u{fb36} \u{5d8}\u{fb38} \
        \u{5d9}\u{fb1d}\u{fb39} \u{5da}\u{fb3a} \u{5db}\u{fb3b}\u{fb4d} \u{5dc}\u{fb3c} \u{5de}\u{fb3e} \
        \u{5e0}\u{fb40} \u{5e1}\u{fb41} \u{5e3}\u{fb43} \u{5e4}\u{fb44}\u{fb4e} \u{5e6}\u{fb46} \u{5e7}\u{fb47} \
        \u{5e8}\u{fb48} \u{5e9}\u{fb2a}\u{fb2b}\u{fb2c}\u{fb2d}\u{fb49} \u{5ea}\u{fb4a} \u{5f2}\u{fb1f} \
        \u{627}\u{622}\u{623}\u{625} \u{648}\u{624} \u{64a}\u{626} \u{6c1}\u{6c2} \u{6d2}\u{6d3} \u{6d5}\u{6c0} \
        \u{915}\u{958} \u{916}\u{959} \u{917}\u{95a} \u{91c}\u{95b} \u{921}\u{95c} \u{922}\u{95d} \u{928}\u{929} \
        \u{92b}\u{95e} \u{92f}\u{95f} \u{930}\u{931} \u{933}\u{934} \u{9a1}\u{9dc} \u{9a2}\u{9dd} \u{9af}\u{9df} \
        \u{a16}\u{a59} \u{a17}\u{a5a} \u{a1c}\u{a5b} \u{a2b}\u{a5e} \u{a32}\u{a33} \u{a38}\u{a36} \u{b21}\u{b5c} \
        \u{b22}\u{b5d} \u{c46}\u{c48} \u{dd9}\u{dda} \u{fb2}\u{f76} \u{fb3}\u{f78} \u{1fbf}\u{1fcd}\u{1fce}\u{1fcf} \
        \u{1ffe}\u{1fdd}\u{1fde}\u{1fdf} \u{2002}\u{2000} \u{2003}\u{2001} \u{2190}\u{219a} \u{2192}\u{219b} \
        \u{2194}\u{21ae} \u{21d0}\u{21cd} \u{21d2}\u{21cf} \u{21d4}\u{21ce} \u{2203}\u{2204} \u{2208}\u{2209} \
        \u{220b}\u{220c} \u{2223}\u{2224} \u{2225}\u{2226} \u{223c}\u{2241} \u{2243}\u{2244} \u{2245}\u{2247} \
        \u{2248}\u{2249} \u{224d}\u{226d} \u{2261}\u{2262} \u{2264}\u{2270} \u{2265}\u{2271} \u{2272}\u{2274} \
        \u{2273}\u{2275} \u{2276}\u{2278} \u{2277}\u{2279} \u{227a}\u{2280} \u{227b}\u{2281} \u{227c}\u{22e0} \
        \u{227d}\u{22e1} \u{2282}\u{2284} \u{2283}\u{2285} \u{2286}\u{2288} \u{2287}\u{2289} \u{2291}\u{22e2} \
        \u{2292}\u{22e3} \u{22a2}\u{22ac} \u{22a8}\u{22ad} \u{22a9}\u{22ae} \u{22ab}\u{22af} \u{22b2}\u{22ea} \
        \u{22b3}\u{22eb} \u{22b4}\u{22ec} \u{22b5}\u{22ed} \u{2add}\u{2adc} \u{3008}\u{2329} \u{3009}\u{232a} \
        \u{3046}\u{3094} \u{304b}\u{304c} \u{304d}\u{304e} \u{304f}\u{3050} \u{3051}\u{3052} \u{3053}\u{3054} \
        \u{3055}\u{3056} \u{3057}\u{3058} \u{3059}\u{305a} \u{305b}\u{305c} \u{305d}\u{305e} \u{305f}\u{3060} \
        \u{3061}\u{3062} \u{3064}\u{3065} \u{3066}\u{3067} \u{3068}\u{3069} \u{306f}\u{3070}\u{3071} \
        \u{3072}\u{3073}\u{3074} \u{3075}\u{3076}\u{3077} \u{3078}\u{3079}\u{307a} \u{307b}\u{307c}\u{307d} \
        \u{309d}\u{309e} \u{30a6}\u{30f4} \u{30ab}\u{30ac} \u{30ad}\u{30ae} \u{30af}\u{30b0} \u{30b1}\u{30b2} \
        \u{30b3}\u{30b4} \u{30b5}\u{30b6} \u{30b7}\u{30b8} \u{30b9}\u{30ba} \u{30bb}\u{30bc} \u{30bd}\u{30be} \
        \u{30bf}\u{30c0} \u{30c1}\u{30c2} \u{30c4}\u{30c5} \u{30c6}\u{30c7} \u{30c8}\u{30c9} \
        \u{30cf}\u{30d0}\u{30d1} \u{30d2}\u{30d3}\u{30d4} \u{30d5}\u{30d6}\u{30d7} \u{30d8}\u{30d9}\u{30da} \
        \u{30db}\u{30dc}\u{30dd} \u{30ef}\u{30f7} \u{30f0}\u{30f8} \u{30f1}\u{30f9} \u{30f2}\u{30fa} \
        \u{30fd}\u{30fe} \u{11099}\u{1109a} \u{1109b}\u{1109c} \u{110a5}\u{110ab} \u{1d157}\u{1d15e} \
        \u{1d158}\u{1d15f}\u{1d160}\u{1d161}\u{1d162}\u{1d163}\u{1d164} \u{1d1b9}\u{1d1bb}\u{1d1bd}\u{1d1bf} \
        \u{1d1ba}\u{1d1bc}\u{1d1be}\u{1d1c0}
        """
}
