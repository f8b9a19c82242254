/// The base forms of letters for full-text search, without case, accents and variant forms: `É` becomes `e`, `ﬁ` becomes `fi`, and `ﻫ` becomes `ه`.
enum BaseLetters {
    /// Returns one or several letters for a letter. Kana with voicing marks and Cyrillic й and ў are unchanged, because they differ from the letters
    /// without marks.
    static func of(_ letter: UInt32) -> [UInt32] {
        let folded = CaseFolding.fold(letter)
        if folded == 0x439 || folded == 0x45e || folded &- 0x3041 < 0xbf { return forms[folded] ?? [folded] }
        var out: [UInt32] = []
        Accents.forEachBase(of: folded) { part in
            let letter = CaseFolding.fold(part)
            out += forms[letter] ?? [letter]
        }
        return out.isEmpty ? [folded] : out
    }

    /// One or several base letters for each scalar.
    private static let forms: [UInt32: [UInt32]] = {
        var out: [UInt32: [UInt32]] = [:]
        for entry in (compatible + " " + own).unicodeScalars.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let base = entry.prefix { $0 != ":" }
            for scalar in entry.dropFirst(base.count + 1) { out[scalar.value] = base.map(\.value) }
        }
        return out
    }()

    /// Separate letters that are commonly typed as other letters, and letters that differ between keyboards.
    private static let own = "ss:ß ae:æ oe:œ o:ø d:đð h:ħ l:ł t:ŧ i:ı th:þ ي:یى ك:ک"

    /// A base, a colon and all letters with this base: the compatibility decompositions of the Unicode Character Database (version 14) of folded
    /// letters and digits, without their marks.
    private static let compatible = """
        a:ªᴬᵃₐ 2:²₂ 3:³₃ 1:¹₁ o:ºᴼᵒₒℴ ij:ĳ l:ŀˡᴸₗℒℓⅼ ʼn:ŉ dz:ǆǳ lj:ǉ nj:ǌ h:ʰᴴₕℋℌℍℎℏꟸ ɦ:ʱ j:ʲᴶⅉⱼ
        r:ʳᴿᵣℛℜℝ ɹ:ʴ ɻ:ʵ ʁ:ʶ w:ʷᵂ y:ʸ ɣ:ˠ s:ˢₛ x:ˣₓⅹ ʕ:ˤ υ:ϒϓϔ σ:ϲ եւ:և اٴ:ٵ وٴ:ٶ ۇٴ:ٷ يٴ:ٸ ຫນ:ໜ
        ຫມ:ໝ ae:ᴭ b:ᴮᵇℬ d:ᴰᵈᶞⅅⅆⅾ e:ᴱᵉₑℯℰⅇ ǝ:ᴲ g:ᴳᵍℊ i:ᴵᵢⁱℐℑℹⅈⅰ k:ᴷᵏₖ m:ᴹᵐₘℳⅿ n:ᴺⁿₙℕ ȣ:ᴽ p:ᴾᵖₚℙ
        t:ᵀᵗₜ u:ᵁᵘᵤ ɐ:ᵄ ɑ:ᵅ ᴂ:ᵆ ə:ᵊₔ ɛ:ᵋℇ ɜ:ᵌᶟ ŋ:ᵑ ɔ:ᵓ ᴖ:ᵔ ᴗ:ᵕ ᴝ:ᵙ ɯ:ᵚ v:ᵛᵥⅴⱽ ᴥ:ᵜ β:ᵝᵦ γ:ᵞᵧℽℾ δ:ᵟ
        φ:ᵠᵩ χ:ᵡᵪ ρ:ᵨ н:ᵸ ɒ:ᶛ c:ᶜℂ℃ℭⅽꟲ ɕ:ᶝ f:ᶠ℉ℱꟳ ɟ:ᶡ ɡ:ᶢ ɥ:ᶣ ɨ:ᶤ ɩ:ᶥ ɪ:ᶦ ᵻ:ᶧ ʝ:ᶨ ɭ:ᶩ ᶅ:ᶪ ʟ:ᶫ ɱ:ᶬ
        ɰ:ᶭ ɲ:ᶮ ɳ:ᶯ ɴ:ᶰ ɵ:ᶱ ɸ:ᶲ ʂ:ᶳ ʃ:ᶴ ƫ:ᶵ ʉ:ᶶ ʊ:ᶷ ᴜ:ᶸ ʋ:ᶹ ʌ:ᶺ z:ᶻℤℨ ʐ:ᶼ ʑ:ᶽ ʒ:ᶾ θ:ᶿ aʾ:ẚ 0:⁰₀
        4:⁴₄ 5:⁵₅ 6:⁶₆ 7:⁷₇ 8:⁸₈ 9:⁹₉ ac:℀ as:℁ co:℅ cu:℆ no:№ q:ℚꟴ sm:℠ tel:℡ tm:™ א:ℵﬡ ב:ℶ ג:ℷ
        ד:ℸﬢ fax:℻ π:ℼℿ ii:ⅱ iii:ⅲ iv:ⅳ vi:ⅵ vii:ⅶ viii:ⅷ ix:ⅸ xi:ⅺ xii:ⅻ ⵡ:ⵯ より:ゟ コト:ヿ ъ:ꚜ
        ь:ꚝ ꝯ:ꝰ oe:ꟹ ꜧ:ꭜ ꬷ:ꭝ ɫ:ꭞ ꭒ:ꭟ ʍ:ꭩ ff:ﬀ fi:ﬁ fl:ﬂ ffi:ﬃ ffl:ﬄ st:ﬅﬆ մն:ﬓ մե:ﬔ մի:ﬕ վն:ﬖ մխ:ﬗ
        ע:ﬠ ה:ﬣ כ:ﬤ ל:ﬥ ם:ﬦ ר:ﬧ ת:ﬨ אל:ﭏ ٱ:ﭐﭑ ٻ:ﭒﭓﭔﭕ پ:ﭖﭗﭘﭙ ڀ:ﭚﭛﭜﭝ ٺ:ﭞﭟﭠﭡ ٿ:ﭢﭣﭤﭥ ٹ:ﭦﭧﭨﭩ ڤ:ﭪﭫﭬﭭ
        ڦ:ﭮﭯﭰﭱ ڄ:ﭲﭳﭴﭵ ڃ:ﭶﭷﭸﭹ چ:ﭺﭻﭼﭽ ڇ:ﭾﭿﮀﮁ ڍ:ﮂﮃ ڌ:ﮄﮅ ڎ:ﮆﮇ ڈ:ﮈﮉ ژ:ﮊﮋ ڑ:ﮌﮍ ك:ﮎﮏﮐﮑﻙﻚﻛﻜ گ:ﮒﮓﮔﮕ ڳ:ﮖﮗﮘﮙ
        ڱ:ﮚﮛﮜﮝ ں:ﮞﮟ ڻ:ﮠﮡﮢﮣ ە:ﮤﮥ ہ:ﮦﮧﮨﮩ ھ:ﮪﮫﮬﮭ ے:ﮮﮯﮰﮱ ڭ:ﯓﯔﯕﯖ ۇ:ﯗﯘ ۆ:ﯙﯚ ۈ:ﯛﯜ ۋ:ﯞﯟ ۅ:ﯠﯡ ۉ:ﯢﯣ ې:ﯤﯥﯦﯧ
        ي:ﯨﯩﯼﯽﯾﯿﱝﲐﺉﺊﺋﺌﻯﻰﻱﻲﻳﻴ ذ:ﱛﺫﺬ ر:ﱜﺭﺮ ه:ﳙﻩﻪﻫﻬ ـ:ﳲﳳﳴ ا:ﴼﴽﺁﺂﺃﺄﺇﺈﺍﺎ ء:ﺀ و:ﺅﺆﻭﻮ ب:ﺏﺐﺑﺒ ة:ﺓﺔ ت:ﺕﺖﺗﺘ
        ث:ﺙﺚﺛﺜ ج:ﺝﺞﺟﺠ ح:ﺡﺢﺣﺤ خ:ﺥﺦﺧﺨ د:ﺩﺪ ز:ﺯﺰ س:ﺱﺲﺳﺴ ش:ﺵﺶﺷﺸ ص:ﺹﺺﺻﺼ ض:ﺽﺾﺿﻀ ط:ﻁﻂﻃﻄ ظ:ﻅﻆﻇﻈ ع:ﻉﻊﻋﻌ
        غ:ﻍﻎﻏﻐ ف:ﻑﻒﻓﻔ ق:ﻕﻖﻗﻘ ل:ﻝﻞﻟﻠ م:ﻡﻢﻣﻤ ن:ﻥﻦﻧﻨ لا:ﻵﻶﻷﻸﻹﻺﻻﻼ ヲ:ｦ ァ:ｧ ィ:ｨ ゥ:ｩ ェ:ｪ ォ:ｫ ャ:ｬ
        ュ:ｭ ョ:ｮ ッ:ｯ ー:ｰ ア:ｱ イ:ｲ ウ:ｳ エ:ｴ オ:ｵ カ:ｶ キ:ｷ ク:ｸ ケ:ｹ コ:ｺ サ:ｻ シ:ｼ ス:ｽ セ:ｾ
        ソ:ｿ タ:ﾀ チ:ﾁ ツ:ﾂ テ:ﾃ ト:ﾄ ナ:ﾅ ニ:ﾆ ヌ:ﾇ ネ:ﾈ ノ:ﾉ ハ:ﾊ ヒ:ﾋ フ:ﾌ ヘ:ﾍ ホ:ﾎ マ:ﾏ ミ:ﾐ
        ム:ﾑ メ:ﾒ モ:ﾓ ヤ:ﾔ ユ:ﾕ ヨ:ﾖ ラ:ﾗ リ:ﾘ ル:ﾙ レ:ﾚ ロ:ﾛ ワ:ﾜ ン:ﾝ
        """
}
