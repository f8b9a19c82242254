/// The number of differences by property.
struct ImportTally {
    struct Place: Hashable, Comparable, CustomStringConvertible {
        let className: String
        let property: String

        init(_ className: String, property: String) {
            self.className = className
            self.property = property
        }

        var description: String { "\(className).\(property)" }

        static func < (a: Place, b: Place) -> Bool { (a.className, a.property) < (b.className, b.property) }
    }

    var missingTargets: [Place: Int] = [:]
    var encodedKeys: [Place: Int] = [:]
    var equalInSets: [Place: Int] = [:]
    var missingValues: [Place: Int] = [:]
    var tooLarge: [Place: Int] = [:]

    func enter(into report: inout RealmImportReport) {
        func add(_ counts: [Place: Int], _ kind: RealmImportReport.Note.Kind, text: String) {
            for (place, count) in counts.sorted(by: { $0.key < $1.key }) {
                report.note(
                    kind,
                    "\(place): \(count) \(text)",
                    className: place.className,
                    property: place.property,
                    count: count
                )
            }
        }
        add(missingTargets, .missingTarget, text: "links lead to no object and are left out")
        add(
            encodedKeys,
            .encodedKeys,
            text: "keys have a point or a leading dollar sign, which are percent-encoded now"
        )
        add(equalInSets, .equalInSet, text: "values equal another of their set and are left out")
        add(tooLarge, .tooLarge, text: "values are larger than 16 MiB: null, or nothing, stands in their place")
        add(
            missingValues,
            .missingValue,
            text: "values are null although the property needs one; the type's default is stored"
        )
    }
}
