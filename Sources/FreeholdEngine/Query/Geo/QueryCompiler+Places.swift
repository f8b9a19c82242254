extension QueryCompiler {
    /// Returns the columns with the coordinates of the objects at the path's end.
    /// - Throws: `.type` if the path doesn't lead to places.
    /// - Parameter what: the part of the query that needs places, for errors.
    func places(
        _ named: NamedPath,
        _ resolved: ResolvedPath,
        what: String = "geoWithin"
    ) throws(QueryError) -> GeoColumns {
        guard named.suffix == nil, let target = resolved.target else {
            throw notPlaces("\(what) needs a link to embedded objects.", named)
        }
        let name = names.className(of: target)
        guard names.table(of: target).isEmbedded else {
            throw notPlaces("\(what) needs embedded objects, and \(name) isn't an embedded class.", named)
        }
        guard case .column(let type)? = names.property(named: "type", of: target)?.kind,
            case .column(let coordinates)? = names.property(named: "coordinates", of: target)?.kind,
            let columns = GeoColumns(type: type, coordinates: coordinates)
        else {
            throw notPlaces(
                "\(what) needs places, and \(name) isn't of that shape: a string 'type' (\"Point\") and a list of "
                    + "doubles 'coordinates' (longitude, latitude).",
                named
            )
        }
        return columns
    }

    private func notPlaces(_ message: String, _ path: NamedPath) -> QueryError {
        QueryError(.type, message, position: path.position)
    }
}
