#if PostgreSQL
    /// Statements of sinks and commands.
    extension Statement {
        /// Returns the statement that reads rows of the stream $1 by the second column of their key, which is in the array $2.
        static func rows(_ columns: String, of table: String, by key: String, _ type: String) -> String {
            """
            SELECT \(columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", "))
            FROM (SELECT DISTINCT * FROM unnest($2::\(type)[]) AS t(key)) k
            CROSS JOIN LATERAL (SELECT * FROM \(table) x WHERE x.sid = $1 AND x.\(key) = k.key LIMIT 1) r
            """
        }

        /// The time after which another server may take the objects of a class that a server has claimed, in milliseconds.
        static let claimTime = 10_000

        /// An SQL expression for the database's time in milliseconds.
        static let time = "(extract(epoch FROM clock_timestamp()) * 1000)::int8"

        static let claimEnd = "\(time) + \(claimTime)"

        /// Returns the objects of a class between two positions, in the order in which they were stored, up to a number of rows and bytes. The last
        /// row is the one with which the limit of bytes is reached.
        static let ingestedPageText = """
            SELECT version, seq, key, doc FROM (
                SELECT version, seq, key, doc, octet_length(doc) AS size,
                    sum(octet_length(doc)) OVER (ORDER BY version, seq) AS total
                FROM (SELECT version, seq, key, doc FROM ingest
                    WHERE sid = $1 AND class = $2 AND (version, seq) > ($3, $4) AND (version, seq) <= ($5, $6)
                    ORDER BY version, seq LIMIT $7) p) r
            WHERE total - size < $8 ORDER BY version, seq
            """

        /// Returns the objects of a class that were stored up to a version, in the order of their keys.
        static let ingestedDocumentsText = """
            SELECT key, doc FROM (
                SELECT key, doc, octet_length(doc) AS size, sum(octet_length(doc)) OVER (ORDER BY key) AS total
                FROM (SELECT key, doc FROM ingest
                    WHERE sid = $1 AND class = $2 AND key > $3 AND version <= $4 ORDER BY key LIMIT 2000) p) r
            WHERE total - size < $5 ORDER BY key
            """

        /// Claims the objects of a class for the owner $3, unless another owner has a claim.
        static let claimLaneText = """
            INSERT INTO sink_lane(sid, class, owner, claimed_until, record)
            SELECT sid, $2::text, $3::int8, \(claimEnd), NULL FROM stream WHERE sid = $1
            ON CONFLICT (sid, class) DO UPDATE SET owner = excluded.owner, claimed_until = excluded.claimed_until
            WHERE sink_lane.owner = excluded.owner
                OR sink_lane.claimed_until <= \(time)
            RETURNING record
            """

        static let streamUsesText = """
            SELECT s.sid, s.name, h.version, (SELECT count(*) FROM client_file f WHERE f.sid = s.sid),
                (SELECT coalesce(sum(octet_length(o.doc) + octet_length(o.meta)), 0)::int8 FROM object o WHERE o.sid = s.sid)
                    + (SELECT coalesce(sum(octet_length(l.body)), 0)::int8 FROM commit_log l WHERE l.sid = s.sid)
                    + (SELECT coalesce(sum(octet_length(i.doc) + octet_length(i.meta)), 0)::int8 FROM ingest i WHERE i.sid = s.sid)
            FROM stream s JOIN stream_head h ON h.sid = s.sid WHERE s.sid > $1 ORDER BY s.sid LIMIT 20
            """

        /// Figures of the whole database. Distributed databases may lack a function: then administrators see the other figures of the store.
        static let figuresText = """
            SELECT current_setting('server_version')::text, current_database()::text, pg_database_size(current_database())::int8,
                (SELECT count(*)::int8 FROM pg_stat_activity WHERE datname = current_database()),
                current_setting('max_connections')::int8, pg_is_in_recovery()
            """

        /// The first class after another one that has objects.
        static let nextClassText = """
            SELECT min(class) FROM (
                SELECT min(class) AS class FROM object WHERE sid = $1 AND class > $2
                UNION ALL SELECT min(class) AS class FROM ingest WHERE sid = $1 AND class > $2) c
            """
    }
#endif
