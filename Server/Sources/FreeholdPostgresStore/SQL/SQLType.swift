#if PostgreSQL
    internal import FreeholdEngine

    /// The type of a view's column, with its conversions from and to JSON.
    ///
    /// The conversions never fail: a value that isn't of the type is NULL. A device of an app without a schema may have written such a value, and a
    /// report must not fail due to one object.
    enum SQLType: String, CaseIterable {
        case bool
        case int8
        case float4
        case float8
        case numeric
        case text
        /// An ObjectId, as 24 digits.
        case id
        case uuid
        case timestamptz
        case bytea

        /// - Parameter key: The type of the keys of the class to which a link leads.
        init?(_ type: ColumnType, key: ColumnType?) {
            switch type {
            case .bool: self = .bool
            case .int: self = .int8
            case .float: self = .float4
            case .double: self = .float8
            case .decimal128: self = .numeric
            case .string: self = .text
            case .objectId: self = .id
            case .uuid: self = .uuid
            case .timestamp: self = .timestamptz
            case .data: self = .bytea
            case .link:
                guard let key, key != .link else { return nil }
                self.init(key, key: nil)
            case .mixed: return nil
            }
        }

        /// The name of the type in PostgreSQL.
        var name: String { self == .id ? "text" : rawValue }

        /// The method of an index. A value in a B-tree has at most 2,700 bytes, so texts and bytes, which can be longer, use hash indexes.
        var indexMethod: String { self == .text || self == .bytea ? "hash" : "btree" }

        private var function: String { "_\(rawValue)" }
        private var arrayFunction: String { "_\(rawValue)_array" }

        /// Returns an SQL expression for the value of a part of an object.
        ///
        /// - Parameters:
        ///   - json: An expression of the type `jsonb`.
        ///   - schema: The name of the schema that has the functions, in quotation marks.
        func value(of json: String, in schema: String, isArray: Bool) -> String {
            "\(schema).\(isArray ? arrayFunction : function)(\(json))"
        }

        /// Returns an SQL expression for the JSON of a value, in the form of `inbox.body`.
        func json(of value: String) -> String {
            switch self {
            case .bool, .int8, .float4, .float8, .text, .id, .uuid: "to_jsonb(\(value))"
            case .numeric: "to_jsonb((\(value))::text)"
            case .timestamptz:
                "to_jsonb(to_char(\(value) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'))"
            case .bytea: "to_jsonb(replace(encode(\(value), 'base64'), chr(10), ''))"
            }
        }

        /// The body of the function that returns a value of the JSON $1.
        private var body: String {
            let text = "($1 #>> '{}')"
            let isText = "jsonb_typeof($1) = 'string'"
            let isNumber = "jsonb_typeof($1) = 'number'"
            switch self {
            case .bool: return "CASE WHEN jsonb_typeof($1) = 'boolean' THEN $1::bool END"
            case .int8:
                return """
                    CASE WHEN \(isNumber) AND $1 >= '-9223372036854775808'::jsonb AND $1 <= '9223372036854775807'::jsonb
                    THEN $1::int8 END
                    """
            case .float8:
                return """
                    CASE WHEN \(isNumber) THEN CASE WHEN $1 BETWEEN '-1.7976931348623157e308' AND '1.7976931348623157e308'
                    THEN $1::float8 END
                    WHEN \(isText) AND \(text) IN ('NaN', 'Infinity', '-Infinity') THEN \(text)::float8 END
                    """
            case .float4:
                return """
                    CASE WHEN \(isNumber) THEN CASE WHEN $1 NOT BETWEEN '-3.4028234e38' AND '3.4028234e38' THEN NULL
                    WHEN abs($1::float8) < 1.5e-45 THEN 0 ELSE ($1::float8)::float4 END
                    WHEN \(isText) AND \(text) IN ('NaN', 'Infinity', '-Infinity') THEN \(text)::float4 END
                    """
            case .numeric:
                return """
                    CASE WHEN \(isNumber) THEN $1::numeric
                    WHEN \(isText) AND octet_length(\(text)) <= 64 AND (\(text) IN ('NaN', 'Infinity', '-Infinity')
                    OR \(text) ~ '^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([Ee][-+]?[0-9]{1,4})?$') THEN \(text)::numeric END
                    """
            case .text: return "CASE WHEN \(isText) THEN \(text) END"
            case .id: return "CASE WHEN \(isText) AND \(text) ~ '^[0-9a-f]{24}$' THEN \(text) END"
            case .uuid:
                return """
                    CASE WHEN \(isText) AND \(text) ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
                    THEN \(text)::uuid END
                    """
            // A cast of a text to a date depends on settings of the session, so it isn't allowed in an index.
            case .timestamptz:
                return """
                    CASE WHEN \(isText) AND \(text) ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$'
                    THEN (make_date(substr(\(text), 1, 4)::int4, substr(\(text), 6, 2)::int4, 1) + (substr(\(text), 9, 2)::int4 - 1)
                    + make_time(substr(\(text), 12, 2)::int4, substr(\(text), 15, 2)::int4, substr(\(text), 18, 6)::float8))
                    AT TIME ZONE 'UTC' END
                    """
            case .bytea:
                return """
                    CASE WHEN \(isText) AND octet_length(\(text)) % 4 = 0 AND \(text) ~ '^[A-Za-z0-9+/]*={0,2}$'
                    THEN decode(\(text), 'base64') END
                    """
            }
        }

        /// Statements that drop the functions of all types.
        static func drops(in schema: String) -> [String] {
            allCases.flatMap { type in
                [type.arrayFunction, type.function].map { "DROP FUNCTION IF EXISTS \(schema).\($0)(jsonb)" }
            }
        }

        /// Statements that create the functions of all types. They are in the schema of the views: a function's body is compiled with the rights of
        /// the role that uses the view.
        static func functions(in schema: String) -> [String] {
            allCases.flatMap { type in
                [
                    """
                    CREATE OR REPLACE FUNCTION \(schema).\(type.function)(jsonb) RETURNS \(type.name)
                    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$ SELECT \(type.body) $function$
                    """,
                    """
                    CREATE OR REPLACE FUNCTION \(schema).\(type.arrayFunction)(jsonb) RETURNS \(type.name)[]
                    LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
                    SELECT ARRAY(SELECT \(schema).\(type.function)(t.value) FROM jsonb_array_elements(
                        CASE WHEN jsonb_typeof($1) = 'array' THEN $1 ELSE '[]'::jsonb END) WITH ORDINALITY AS t(value, n)
                    ORDER BY t.n) $function$
                    """,
                ]
            }
        }
    }
#endif
