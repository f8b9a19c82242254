#if PostgreSQL
    /// Statements for programs that read and write documents with SQL.
    extension Statement {
        /// Returns a statement that selects rows without JSON in the order of their keys, after $2 and $3. The last row is the one with which the
        /// bytes reach $4.
        ///
        /// - Parameters:
        ///   - table: `object` or `ingest`.
        ///   - condition: An additional condition for the rows.
        static func withoutJSONText(_ table: String, where condition: String = "") -> String {
            """
            SELECT class, key, version, doc FROM (
                SELECT class, key, version, doc, octet_length(doc) AS size,
                    sum(octet_length(doc)) OVER (ORDER BY class, key) AS total
                FROM (SELECT class, key, version, doc FROM \(table)
                    WHERE sid = $1 AND (class, key) > ($2, $3)\(condition) AND json IS NULL
                    ORDER BY class, key LIMIT 500) p) r
            WHERE total - size < $4 ORDER BY class, key
            """
        }

        /// Writes the JSON of rows, if a row still has the version from which its JSON was created. The head is locked, so that the state of the
        /// stream can't change at the same time.
        static func fillJSONText(_ table: String) -> String {
            """
            WITH held AS (UPDATE stream_head SET sql = sql WHERE sid = $1 AND sql = 1 RETURNING sid)
            UPDATE \(table) o SET json = t.json::jsonb
            FROM held CROSS JOIN unnest($2::text[], $3::bytea[], $4::int8[], $5::text[]) AS t(class, key, version, json)
            WHERE o.sid = held.sid AND o.class = t.class AND o.key = t.key AND o.version = t.version RETURNING o.version
            """
        }

        static func dropJSONText(_ table: String) -> String {
            """
            WITH held AS (UPDATE stream_head SET sql = sql WHERE sid = $1 AND sql = 3 RETURNING sid)
            UPDATE \(table) SET json = NULL WHERE sid = (SELECT sid FROM held) AND (class, key) IN (
                SELECT class, key FROM \(table) WHERE sid = $1 AND (class, key) > ($2, $3) AND json IS NOT NULL
                ORDER BY class, key LIMIT 500)
            RETURNING class, key
            """
        }

        static let claimSQLText = """
            UPDATE sql_app SET owner = $2, claimed_until = \(time) + 30000
            WHERE app = $1 AND (owner = $2 OR claimed_until <= \(time)) RETURNING is_json, views
            """

        /// Returns the first stream with waiting rows after another stream.
        static let nextInboxText = """
            SELECT i.sid, s.name FROM (SELECT min(sid) AS sid FROM inbox WHERE done_at IS NULL AND sid > $1) i
            LEFT JOIN stream s ON s.sid = i.sid WHERE i.sid IS NOT NULL
            """

        /// Returns the oldest waiting rows of a stream. The last row is the one with which the bytes reach $2.
        static let inboxRowsText = """
            SELECT id, usr, class, key, op, body, if_version, age FROM (
                SELECT seq, id, usr, class, key, op, body, if_version, age, size, sum(size) OVER (ORDER BY seq) AS total
                FROM (SELECT seq, id, usr, class, key, op, body::text AS body, if_version,
                        (extract(epoch FROM clock_timestamp() - at) * 1000)::int8 AS age,
                        coalesce(octet_length(body::text), 0) AS size
                    FROM inbox WHERE sid = $1 AND done_at IS NULL ORDER BY seq LIMIT 200) p) r
            WHERE total - size < $2 ORDER BY seq
            """

        /// Stores the results of rows that need no commit.
        static let finishInboxText = """
            UPDATE inbox i SET done_at = clock_timestamp(), version = t.version, refused = t.refused
            FROM unnest($2::uuid[], $3::int8[], $4::text[]) AS t(id, version, refused)
            WHERE i.sid = $1 AND i.id = t.id AND i.done_at IS NULL RETURNING i.id
            """

        /// Claims the waiting rows of a stream for the owner $2, unless another owner has a claim.
        static let claimInboxText = """
            INSERT INTO inbox_claim(sid, owner, claimed_until) VALUES ($1, $2, \(time) + 5000)
            ON CONFLICT (sid) DO UPDATE SET owner = excluded.owner, claimed_until = excluded.claimed_until
            WHERE inbox_claim.owner = excluded.owner OR inbox_claim.claimed_until <= \(time) RETURNING owner
            """

        static let trimInboxText = """
            DELETE FROM inbox WHERE (sid, id) IN (SELECT sid, id FROM inbox
                WHERE done_at < clock_timestamp() - $1::int8 * interval '1 millisecond' LIMIT 1000) RETURNING sid
            """
    }
#endif
