import Foundation

/// Tables in documents whose figures are those of the benchmark's results.
///
/// Such a table follows a line `<!-- figures -->`. Its first column contains the names of workloads in the results, and
/// the heads of the other columns name columns of the results. Each cell is the median.
package struct Figures {
    package static let mark = "<!-- figures -->"

    private var columns: [String] = []
    private var rows: [String: [String]] = [:]

    package struct Mistake: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter results: the text of `Benchmarks/results.md`, of which the first table counts.
    package init(results: String) {
        for line in results.split(separator: "\n", omittingEmptySubsequences: false) {
            let cells = Self.cells(line)
            if cells.isEmpty, !rows.isEmpty { break }
            if cells.first == "Workload" { columns = cells }
            if let name = cells.first, !columns.isEmpty { rows[name] = cells }
        }
    }

    private static func cells(_ line: Substring) -> [String] {
        guard line.hasPrefix("|") else { return [] }
        return line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the document with the figures in their places.
    ///
    /// - Throws: ``Mistake`` if the results don't have the workload or column.
    package func filled(_ text: String, path: String) throws -> String {
        var heads: [String]?
        var isTable = false
        let lines = try text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            let cells = Self.cells(line)
            if line == Self.mark {
                (isTable, heads) = (true, nil)
            } else if isTable, cells.isEmpty {
                isTable = false
            } else if isTable, heads == nil {
                heads = cells
            } else if isTable, let heads, cells.first?.hasPrefix("-") == false {
                return try "| "
                    + ([cells[0]] + heads.dropFirst().map { try median(cells[0], $0, path) }).joined(separator: " | ")
                    + " |"
            }
            return String(line)
        }
        return lines.joined(separator: "\n")
    }

    private func median(_ workload: String, _ column: String, _ path: String) throws -> String {
        guard let row = rows[workload], let index = columns.firstIndex(of: column), index < row.count else {
            throw Mistake(description: "\(path): the results have no figure of '\(workload)' and '\(column)'")
        }
        // "**median** (minimum)"
        return row[index].split(separator: " ").first.map { $0.replacingOccurrences(of: "**", with: "") } ?? ""
    }
}
