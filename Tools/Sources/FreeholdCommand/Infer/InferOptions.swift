import ArgumentParser
import Foundation
import Freehold

/// The options of 'import' for the inference of classes.
struct InferOptions: ParsableArguments {
    @Flag(help: "Infers classes and types from the data, prints and creates them, and creates a missing file.")
    var infer = false
    @Option(
        help: ArgumentHelp(
            "The primary key of an inferred class; 'none' for none. By default _id or id, where its values are unique.",
            valueName: "name"
        )
    ) var primaryKey: String?

    @Option(
        help: ArgumentHelp(
            "The JSON is an object whose keys are ids: makes an object of each entry, with its key in this property.",
            valueName: "name"
        )
    ) var entries: String?

    func validate() throws {
        if entries?.isEmpty == true { throw ValidationError("--entries needs the name of the property for the keys.") }
        if primaryKey != nil && !infer { throw ValidationError("--primary-key goes with --infer.") }
    }
}

extension InferredClasses {
    var schema: Schema { Schema(classes) }

    /// Returns the decisions as lines for people.
    func text(objects: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for object in classes {
            let kind = object.isEmbedded ? " (embedded)" : ": \(Units.count(objects, "object"))"
            bytes.append(contentsOf: "\(TerminalText.escaped(object.className))\(kind)\n".utf8)
            let own = decisions.filter { $0.className == object.className }
            let rows = own.map { decision in
                [
                    decision.property.name, TypeText.of(decision.property),
                    decision.nulls > 0 ? "\(Units.grouped(decision.nulls)) without" : "", decision.note,
                    decision.example.isEmpty ? "" : TerminalText.cut(decision.example, to: 32),
                ].map { TerminalText.escaped($0) }
            }
            let widths = (0..<4).map { i in rows.map { TerminalText.width($0[i]) }.max() ?? 0 }
            for row in rows {
                var line = " "
                for (i, cell) in row.enumerated() where i == 4 || widths[i] > 0 {
                    line += " " + cell
                    if i < 4 { line += String(repeating: " ", count: widths[i] - TerminalText.width(cell) + 1) }
                }
                while line.hasSuffix(" ") { line.removeLast() }
                bytes.append(contentsOf: (line + "\n").utf8)
            }
        }
        return bytes
    }
}
