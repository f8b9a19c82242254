import Foundation
import Freehold
import Testing

/// Strings that are refused, with the place and the reason.
@Suite("Query audit: refusals")
struct QueryRefusalAuditTests {
    @Test
    func `an invalid string is refused at its mistake`() throws {
        let realm = try queryAuditRealm()
        let rows = realm.objects(QueryAuditRow.self)
        for (text, code, position, message) in Self.refused {
            do {
                _ = try rows.filter(validating: text)
                Issue.record("\(text) was taken")
            } catch {
                expect(error.code == code && error.position == position - 1, "\(error)")
                expectEqual(error.message, message, "\(error)")
                expectEqual(error.text, text)
            }
        }
    }

    /// The query, the error's code, its character from 1, and its message.
    static let refused: [(String, QueryError.Code, Int, String)] = [
        ("int == 1e400", .constant, 1, "1e400 isn't a whole number, as 'int' is."),
        ("int == 9223372036854775808", .constant, 1, "9223372036854775808 isn't a whole number, as 'int' is."),
        ("int == 1.5", .constant, 1, "1.5 isn't a whole number, as 'int' is."),
        ("int > inf", .constant, 1, "inf isn't a whole number, as 'int' is."),
        ("int == nan", .constant, 1, "nan isn't a whole number, as 'int' is."),
        ("flag == 2", .type, 1, "'flag' is a bool, which the number 2 can't be compared with."),
        ("flag", .syntax, 5, "A comparison is missing."),
        ("NOT flag", .syntax, 9, "A comparison is missing."),
        ("date == 5", .type, 1, "'date' is a date, which the number 5 can't be compared with."),
        ("date > '1970-01-01'", .type, 1, #"'date' is a date, which "1970-01-01" can't be compared with."#),
        ("oid == 'xyz'", .type, 1, #"'oid' is an ObjectId, which "xyz" can't be compared with."#),
        ("any.@type == 'number'", .constant, 1, "There is no type 'number'."),
        ("ints CONTAINS 42", .type, 1, "CONTAINS needs a string; 'ints' is an int. Use: value IN ints."),
        ("ints[-1] == 1", .syntax, 6, "A place in a collection is missing."),
        ("tags.@max == 'tag1'", .type, 1, "@max needs numbers; 'tags.@max' has none."),
        ("counts.a == 3", .type, 8, "'counts' isn't a link, so that nothing can follow it."),
        ("rows == null", .type, 1, "'rows' is a collection of objects, which is never null."),
        ("link == obj('Nope', 3)", .unknownName, 1, "There is no class 'Nope'."),
        ("link == L99:1", .type, 1, "'link' links to objects of class QueryAuditRow only."),
        (
            "SUBQUERY(rows, $r, $r.id > id).@count > 0", .syntax, 28,
            "In a subquery every property follows the variable."
        ),
        ("SUBQUERY(rows, $r, id > 3).@count > 0", .syntax, 20, "In a subquery every property follows the variable."),
        ("SUBQUERY(ints, $r, $r > 3).@count > 0", .type, 10, "A subquery needs a collection of objects."),
        ("SUBQUERY(link, $r, $r.id > 3).@count > 0", .type, 10, "A subquery needs a collection of objects."),
        ("SUBQUERY(rows, $r, $r.id > 5).@avg == 1", .syntax, 31, "Only the count of a subquery is known."),
        ("SUBQUERY(rows, $x.y, $x.y.id > 5).@count == 1", .syntax, 18, "',' is missing."),
        ("int + text == 1", .type, 7, "'text' isn't a number, so that it can't be calculated with."),
        ("text == int", .type, 1, "'text' and 'int' can't be compared."),
        ("link == text", .type, 1, "'link' and 'text' can't be compared."),
        ("double BETWEEN {int, 3}", .syntax, 17, "A constant is missing."),
        ("flag > flag", .type, 8, "> can't be asked of 'flag', which is a bool. Use == or !=."),
        ("1 == 1", .type, 1, "Two constants are compared."),
        ("'a' CONTAINS text", .type, 14, "CONTAINS needs the property on its left."),
        ("{1, 2} == id", .type, 11, "'id' isn't a list. Use IN."),
        ("id == {1, 2}", .type, 1, "'id' isn't a list. Use IN."),
        ("id IN 1", .type, 1, "IN needs a list on its right side."),
        ("id IN {1, 'a'}", .type, 1, #"'id' is an int, which "a" can't be compared with."#),
        ("id IN {1, {2}}", .syntax, 11, "Lists can't hold lists."),
        ("id IN {1.0, 2.5}", .constant, 1, "2.5 isn't a whole number, as 'id' is."),
        (
            "TRUEPREDICATE SORT(link ASC)", .type, 20,
            "Class QueryAuditRow can't be sorted by 'link': take a property that is a number, string, date, Bool or identifier, not an object."
        ),
        (
            "TRUEPREDICATE SORT(rows.id ASC)", .type, 20,
            "'QueryAuditRow.rows.id' can have several values. Take a path through to-one links only, to a property that isn't a collection, or to one element of it."
        ),
        (
            "TRUEPREDICATE SORT(ints ASC)", .type, 20,
            "'QueryAuditRow.ints' can have several values. Take a path through to-one links only, to a property that isn't a collection, or to one element of it."
        ),
        (
            "TRUEPREDICATE SORT(data ASC)", .type, 20,
            "Class QueryAuditRow can't be sorted by 'data': take a property that is a number, string, date, Bool or identifier, not data."
        ),
        (
            "TRUEPREDICATE SORT(point ASC)", .type, 20,
            "Class QueryAuditRow can't be sorted by 'point': take a property that is a number, string, date, Bool or identifier, not an object."
        ),
        ("id > 20 LIMIT(-1)", .constant, 15, "A whole number that isn't negative is needed."),
        ("id > 20 LIMIT(1.5)", .constant, 15, "A whole number that isn't negative is needed."),
        ("id > 20 LIMIT(99999999999999999999)", .constant, 15, "A whole number that isn't negative is needed."),
        ("TRUEPREDICATE SORT(@count)", .syntax, 20, "@count needs a property before it."),
        (
            "TRUEPREDICATE SORT(rows.@count DESC)", .type, 20,
            "'QueryAuditRow.rows' can have several values. Take a path through to-one links only, to a property that isn't a collection, or to one element of it."
        ),
        ("TRUEPREDICATE SORT(nope ASC)", .unknownName, 20, "Class QueryAuditRow has no property 'nope'."),
        (
            "TRUEPREDICATE DISTINCT(rows)", .type, 24,
            "'QueryAuditRow.rows' can have several values. Take a path through to-one links only, to a property that isn't a collection, or to one element of it."
        ),
        (
            "TRUEPREDICATE DISTINCT(link)", .type, 24,
            "Class QueryAuditRow can't be made distinct by 'link': take a property that is a number, string, date, Bool or identifier, not an object."
        ),
        ("place geoWithin geoCircle([0, 0], -1)", .constant, 17, "A circle's radius is at least 0."),
        (
            "place geoWithin geoPolygon({[0,0],[10,0],[0,0]})", .constant, 17,
            "Each ring of a polygon has at least four points, the last of which is the first."
        ),
        (
            "place geoWithin geoPolygon({[0,0],[10,10],[10,0],[0,10],[0,0]})", .constant, 1,
            "Edges 0 and 2 of a geoPolygon's outer ring meet: from [0.0, 0.0] to [10.0, 10.0], and from [10.0, 0.0] to [0.0, 10.0]."
        ),
        (
            "place geoWithin geoPolygon({[0,0],[0,0],[0,0],[0,0]})", .constant, 1,
            "Places 0 and 1 of a geoPolygon's outer ring are the same, [0.0, 0.0]."
        ),
        (
            "place geoWithin geoBox([0, 91], [1, 2])", .constant, 24,
            "A point is [longitude, latitude]: ±180 and ±90 degrees."
        ),
        (
            "place geoWithin geoCircle([nan, 0], 1)", .constant, 27,
            "A point is [longitude, latitude]: ±180 and ±90 degrees."
        ),
        (
            "part geoWithin geoCircle([0, 0], 1)", .type, 1,
            #"geoWithin needs places, and QueryAuditPart isn't of that shape: a string 'type' ("Point") and a list of doubles 'coordinates' (longitude, latitude)."#
        ),
        (
            "link geoWithin geoCircle([0, 0], 1)", .type, 1,
            "geoWithin needs embedded objects, and QueryAuditRow isn't an embedded class."
        ),
        (
            "int geoWithin geoCircle([0, 0], 1)", .type, 1,
            "geoWithin needs a link to embedded objects."
        ),
        ("place == geoCircle([0, 0], 1)", .type, 10, "A shape can't be compared."),
    ]
}
