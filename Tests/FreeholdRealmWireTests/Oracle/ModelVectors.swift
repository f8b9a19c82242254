import FreeholdRealmWire

@testable import TestRealmClient
import Testing

/// The pairs of section 6.3 of the page of rules.
///
/// A line has the number, the case, the order, the local and the incoming instructions, and the remaining ones of both. The lines
/// with P are further pairs that follow from the rules.
enum ModelVectors {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var local: ModelEntry
        var incoming: ModelEntry
        /// The results, or `nil` for an error.
        var localAfter: [Instruction]?
        var incomingAfter: [Instruction]?

        var testDescription: String { name }
    }

    static let all: [Vector] = text.split(separator: "\n").map { line in
        let cells = line.split(separator: "|").map(String.init)
        // `L<I` means that the local changeset is the earlier one.
        let orders: [(UInt64, UInt64)] = cells[2] == "L<I" ? [(1, 2), (2, 3)] : [(2, 3), (1, 2)]
        func after(_ text: String) -> [Instruction]? {
            text == "bad merge" || text == "assert (crash)" ? nil : ModelNotation.instructions(text)
        }
        return Vector(
            name: cells[0] + " " + cells[1],
            local: ModelEntry(ModelNotation.instructions(cells[3]), timestamp: orders[0].0, ident: orders[0].1),
            incoming: ModelEntry(ModelNotation.instructions(cells[4]), timestamp: orders[1].0, ident: orders[1].1),
            localAfter: after(cells[5]),
            incomingAfter: after(cells[6])
        )
    }

    private static let text = """
        X1|create/create|L<I|CO T:1|CO T:1|CO T:1|CO T:1
        X2|create/erase|L<I|CO T:1|EO T:1|–|EO T:1
        X3|erase/create|L<I|EO T:1|CO T:1|EO T:1|–
        X4|erase/erase earlier local|L<I|EO T:1|EO T:1|–|EO T:1
        X5|erase/erase later local|L>I|EO T:1|EO T:1|EO T:1|–
        X6|create+set+erase / create|L<I|CO T:1; U x=5; EO T:1|CO T:1|CO T:1; U x=5; EO T:1|–
        X7|erase+create / set|L<I|EO T:1; CO T:1|U x=5|EO T:1; CO T:1|–
        X8|erase+create / erase+create, local earlier|L<I|EO T:1; CO T:1; U x=1|EO T:1; CO T:1; U x=2|–|EO T:1; CO T:1; U x=2
        X9|erase+create / erase+create, local later|L>I|EO T:1; CO T:1; U x=1|EO T:1; CO T:1; U x=2|EO T:1; CO T:1; U x=1|–
        X10|set/set|L<I|U x=1|U x=2|–|U x=2
        X11|set/set|L>I|U x=1|U x=2|U x=1|–
        X12|default/set|L>I|U x=1 dflt|U x=2|–|U x=2
        X13|set/default|L<I|U x=1|U x=2 dflt|U x=1|–
        X14|default/default|L<I|U x=1 dflt|U x=2 dflt|–|U x=2 dflt
        X15|null/ObjectValue|L<I|U e=null|U e=ObjectValue|U e=null|–
        X16|ObjectValue/ObjectValue|L<I|U e=ObjectValue; U e.a=1|U e=ObjectValue; U e.b=2|U e.a=1|U e=ObjectValue; U e.b=2
        X17|null / nested set|L<I|U e=null|U e.a=1|U e=null|–
        X18|dict key set / erase|L<I|U d.k=1|U d.k=Erased|–|U d.k=Erased
        X19|dict two keys|L<I|U d.k=1|U d.m=2|U d.k=1|U d.m=2
        X20|dict ObjectValue/ObjectValue|L<I|U d.k=ObjectValue; U d.k.a=1|U d.k=ObjectValue; U d.k.b=2|U d.k.a=1|U d.k=ObjectValue; U d.k.b=2
        X21|add/add|L<I|A x+5|A x+4|A x+5|A x+4
        X22|add later than set|L>I|A x+5|U x=10|A x+5|U x=15
        X23|add earlier than set|L<I|A x+5|U x=10|–|U x=10
        X24|add / default later|L<I|A x+5|U x=10 dflt|A x+5|U x=15 dflt
        X25|add later than null|L>I|A x+5|U x=null|A x+5|U x=null
        X26|add later than string|L>I|A x+5|U x=q|–|U x=q
        X27|add / List|L>I|A x+5|U x=List|–|U x=List
        X28|wrap|L>I|A x+1|U x=9223372036854775807|A x+1|U x=-9223372036854775808
        X29|Clear / add|L<I|C x dict|A x+1|C x dict|–
        X30|ins/ins same place|L<I|I l[0]=a ps=0|I l[0]=b ps=0|I l[0]=a ps=1|I l[1]=b ps=1
        X31|ins/ins same place|L>I|I l[0]=a ps=0|I l[0]=b ps=0|I l[1]=a ps=1|I l[0]=b ps=1
        X32|ins/ins different|L<I|I l[0]=a ps=3|I l[2]=b ps=3|I l[0]=a ps=4|I l[3]=b ps=4
        X33|2 ins / 2 ins|L<I|I l[0]=a ps=0; I l[1]=b ps=1|I l[0]=c ps=0; I l[1]=d ps=1|I l[0]=a ps=2; I l[1]=b ps=3|I l[2]=c ps=2; I l[3]=d ps=3
        X34|ins/ins size differs|L<I|I l[0]=a ps=3|I l[0]=b ps=4|bad merge|bad merge
        X35|ins/set|L<I|I l[1]=a ps=3|U l[1]=b ps=3|I l[1]=a ps=3|U l[2]=b ps=4
        X36|ins/set before|L<I|I l[2]=a ps=3|U l[1]=b ps=3|I l[2]=a ps=3|U l[1]=b ps=4
        X37|erase/set same|L<I|E l[1] ps=3|U l[1]=b ps=3|E l[1] ps=3|–
        X38|erase/set after|L<I|E l[0] ps=3|U l[1]=b ps=3|E l[0] ps=3|U l[0]=b ps=2
        X39|set/erase same|L<I|U l[1]=b ps=3|E l[1] ps=3|–|E l[1] ps=3
        X40|erase/erase same|L<I|E l[1] ps=3|E l[1] ps=3|–|–
        X41|erase/erase different|L<I|E l[0] ps=3|E l[2] ps=3|E l[0] ps=2|E l[1] ps=2
        X42|erase/ins same place|L<I|E l[1] ps=3|I l[1]=a ps=3|E l[2] ps=4|I l[1]=a ps=2
        X43|erase/ins after|L<I|E l[0] ps=3|I l[2]=a ps=3|E l[0] ps=4|I l[1]=a ps=2
        X44|set/set element|L<I|U l[1]=a ps=3|U l[1]=b ps=3|–|U l[1]=b ps=3
        X45|set/set size differs|L<I|U l[1]=a ps=3|U l[1]=b ps=4|bad merge|bad merge
        X46|move/ins|L<I|M l[0]→2 ps=3|I l[1]=a ps=3|M l[0]→3 ps=4|I l[0]=a ps=3
        X47|move/ins at target|L<I|M l[0]→2 ps=3|I l[3]=a ps=3|M l[0]→3 ps=4|I l[2]=a ps=3
        X48|move/ins at target, tie later|L<I|M l[2]→0 ps=3|I l[0]=a ps=3|M l[3]→1 ps=4|I l[0]=a ps=3
        X49|move/ins at target, local later|L>I|M l[2]→0 ps=3|I l[0]=a ps=3|M l[3]→0 ps=4|I l[1]=a ps=3
        X50|move/set moved|L<I|M l[0]→2 ps=3|U l[0]=b ps=3|M l[0]→2 ps=3|U l[2]=b ps=3
        X51|move/erase moved|L<I|M l[0]→2 ps=3|E l[0] ps=3|–|E l[2] ps=3
        X52|move/erase other|L<I|M l[0]→2 ps=3|E l[1] ps=3|M l[0]→1 ps=2|E l[0] ps=3
        X53|move/move same element|L<I|M l[0]→2 ps=3|M l[0]→1 ps=3|–|M l[2]→1 ps=3
        X54|move/move same target|L<I|M l[0]→2 ps=4|M l[3]→2 ps=4|M l[0]→3 ps=4|M l[3]→1 ps=4
        X55|move/move crossing|L<I|M l[0]→2 ps=3|M l[2]→0 ps=3|M l[1]→2 ps=3|M l[1]→0 ps=3
        X56|move/move becomes no move|L<I|M l[0]→1 ps=3|M l[1]→0 ps=3|M l[1]→0 ps=3|M l[0]→1 ps=3
        X57|clear/ins|L<I|C l list|I l[0]=a ps=2|C l list|–
        X58|ins/clear|L<I|I l[0]=a ps=2; U l[1]=z ps=3|C l list|–|C l list
        X59|clear+ins / clear+ins|L<I|C l list; I l[0]=3 ps=0|C l list; I l[0]=5 ps=0|–|C l list; I l[0]=5 ps=0
        X60|clear+ins / clear+ins|L>I|C l list; I l[0]=3 ps=0|C l list; I l[0]=5 ps=0|C l list; I l[0]=3 ps=0|–
        X61|clear dict / key set|L<I|C d dict|U d.k=1|C d dict|–
        X62|clear(list)/Update List|L<I|C x list|U x=List|C x list|U x=List
        X63|clear(list)/Update Dict|L<I|C x list|U x=Dict|–|U x=Dict
        X64|clear(dict)/Update Int earlier|L>I|C x dict|U x=7|C x dict|–
        X65|List+ins / List+ins|L<I|U x=List; I x[0]=a ps=0|U x=List; I x[0]=b ps=0|U x=List; I x[0]=a ps=1|U x=List; I x[1]=b ps=1
        X66|Dict+key / List+ins|L<I|U x=Dict; U x.k=1|U x=List; I x[0]=b ps=0|–|U x=List; I x[0]=b ps=0
        X67|Dict+key / List+ins|L>I|U x=Dict; U x.k=1|U x=List; I x[0]=b ps=0|U x=Dict; U x.k=1|–
        X68|Update Dict / ins in old list|L<I|U x=Dict|I x[0]=a ps=2|U x=Dict|–
        X69|Update List / ins in list|L<I|U x=List|I x[0]=a ps=2|U x=List|I x[0]=a ps=2
        X70|Update Int earlier / ins in list|L<I|U x=7|I x[0]=a ps=2|U x=7|–
        X71|ins before / nested set|L<I|I l[0]=ObjectValue ps=2|U l[1].a=5|I l[0]=ObjectValue ps=2|U l[2].a=5
        X72|erase before / nested set|L<I|E l[0] ps=2|U l[1].a=5|E l[0] ps=2|U l[0].a=5
        X73|erase element / nested set|L<I|E l[1] ps=2|U l[1].a=5|E l[1] ps=2|–
        X74|move / nested set (core quirk)|L<I|M l[0]→1 ps=3|U l[0].a=5|M l[1]→1 ps=3|U l[0].a=5
        X75|move / nested set, other element|L<I|M l[2]→0 ps=3|U l[1].a=5|M l[2]→0 ps=3|U l[1].a=5
        X76|nested list ins / sibling erase|L<I|I l[1].p[0]=q ps=0|E l[0] ps=2|I l[0].p[0]=q ps=0|E l[0] ps=2
        X77|list vs dict key, no base update|L<I|I x[0]=a ps=0|U x.k=1|assert (crash)|assert (crash)
        X78|set add/add same|L<I|S+ s 1|S+ s 1|–|S+ s 1
        X79|set add/erase same|L<I|S+ s 1|S- s 1|–|S- s 1
        X80|set erase/add same|L>I|S- s 1|S+ s 1|S- s 1|–
        X81|set erase/erase|L<I|S- s 1|S- s 1|–|S- s 1
        X82|set different values|L<I|S+ s 1|S- s 2|S+ s 1|S- s 2
        X83|set clear+add / add|L<I|C s set; S+ s 1|S+ s 2|C s set; S+ s 1|–
        X84|set clear+add / erase|L<I|C s set; S+ s 2|S- s 2|C s set; S+ s 2|–
        X85|AddTable/AddTable|L<I|AT T pk _id:oid; AC T.x int|AT T pk _id:oid; AC T.x int|–|–
        X86|AddTable differs|L<I|AT T pk _id:oid|AT T pk _id:string|bad merge|bad merge
        X87|AddColumn differs|L<I|AC T.x int|AC T.x int?|bad merge|bad merge
        X88|EraseColumn/Update|L<I|EC T.x|U x=1|EC T.x|–
        X89|EraseColumn/ArrayInsert|L<I|EC T.l|I l[0]=a ps=2|EC T.l|I l[0]=a ps=2
        X90|EraseTable/anything|L<I|ET T|AC T.x int; CO T:1; U x=1|ET T|–
        X91|AddColumn(link)/EraseTable of target|L<I|AC T.lk link:Q|ET Q|–|EC T.lk; ET Q
        P1|erase table/add|L<I|ET T|AT T pk _id:oid|ET T|–
        P2|erase table/erase table|L<I|ET T|ET T|–|–
        P3|erase column/add|L<I|EC T.x|AC T.x int|EC T.x|–
        P4|erase column/erase column|L<I|EC T.x|EC T.x|–|–
        P5|add/nested set|L<I|A x+1|U x.k=1|A x+1|–
        P6|add/later default null|L<I|A x+1|U x=null dflt|A x+1|U x=null dflt
        P7|clear a list/clear it later|L<I|C l list|C l list|–|C l list
        P8|clear a list/clear it earlier|L>I|C l list|C l list|C l list|–
        """
}
