import Foundation
import Testing

@testable import FreeholdServer

/// Hashes of passwords in the forms of other servers. The hashes were computed by other programs (libcrypt and Python).
@Suite struct StoredPasswordTests {
    @Test(arguments: [
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("a long password", "$2b$04$abcdefghijklmnopqrstuunJ0u00SLiuoTA7qEltWZhxMUdJFZu5q"),
        ("päßword €", "$2y$05$./ABCDEFGHIJKLMNOPQRSOG2TyoznCYvv5Pk3BSaV0FreUGoCGxn2"),
        (
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
            "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        ),
        ("a long password", "pbkdf2-sha256$1000$c29tZSBzYWx0$lnjUVFcZ66pru9XUYJUTwyKagrzjA2K2BqidbF79wxk="),
        ("päßword €", "pbkdf2-sha1$1$AAECc2FsdA==$ELzd82kcYVZxyY9E3auZrwz2dr4="),
        (
            "pw",
            "pbkdf2-sha512$2000$c3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3M=$5fbJiUtatx5/cQbQ2sO5m+NDH6GsZzXTYHAZrlJVpqGsj81eocmqNNETYiIdOSJOmj9LESkxHMzjCd4uX0x+7g=="
        ),
        (
            String(repeating: "x", count: 200),
            "pbkdf2-sha384$17$$XvHQd0rSsKYb+eyaC/DRf7KFSLSeeeRoF+6KgQklvKi6A5uEoN5+nLg54hyZ9eMs"
        ),
    ])
    func `a hash of another program matches its password only`(_ password: String, _ text: String) throws {
        let hash = try #require(StoredPassword(text: text))
        #expect(hash.matches(password))
        for other in [password.lowercased() + "x", "x" + password, "", password + "\0"] {
            // Bytes behind the 72nd don't count for bcrypt.
            guard Array(other.utf8.prefix(72)) != Array(password.utf8.prefix(72)) || other.utf8.count <= 72 else {
                continue
            }
            #expect(!hash.matches(other), "\(other)")
        }
    }

    @Test(arguments: [
        "", "x", "$2b$10$", "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvy!eW",
        "pbkdf2-sha256$0$c2FsdA==$aGFzaGhhc2hoYXNoaGFzaA==", "pbkdf2-sha256$5000001$c2FsdA==$aGFzaGhhc2hoYXNoaGFzaA==",
        "pbkdf2-md5$1000$c2FsdA==$aGFzaGhhc2hoYXNoaGFzaA==", "pbkdf2-sha256$1000$c2FsdA==$aGFzaA==",
        "scrypt$3000000$8$1$c2FsdA==$aGFzaA==",
    ])
    func `a text in another form, or an expensive one, isn't a hash`(_ text: String) {
        #expect(StoredPassword(text: text) == nil)
    }

    @Test func `the digits of π are those that the cipher defines`() {
        let words = PiDigits.words(1_042)
        #expect(words.prefix(4) == [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344])
        #expect(words.suffix(2) == [0x578F_DFE3, 0x3AC3_72E6])
        #expect(PiDigits.words(40) == Array(words.prefix(40)))
    }
}
