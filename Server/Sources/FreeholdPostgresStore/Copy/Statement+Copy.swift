#if PostgreSQL
    /// Statements that copy streams from one store to another.
    extension Statement {
        static let marksAfterText = """
            SELECT version, hash, clock, at FROM commit_mark WHERE sid = $1 AND version > $2 AND version <= $3
            ORDER BY version LIMIT 2000
            """

        static let answersAfterText = """
            SELECT ident, number, version, clock, hash, refusals FROM commit_answer
            WHERE sid = $1 AND (ident, number) > ($2, $3) ORDER BY ident, number LIMIT 2000
            """

        static let partsAfterText = """
            SELECT ident, number, part, body FROM commit_part
            WHERE sid = $1 AND (ident, number, part) > ($2, $3, $4) ORDER BY ident, number, part LIMIT 4
            """

        /// Returns the objects of asymmetric classes in the order in which they were stored. The last row is the one with which the bytes reach $5.
        static let ingestedAfterText = """
            SELECT version, seq, key, doc, meta FROM (
                SELECT version, seq, key, doc, meta, octet_length(doc) AS size,
                    sum(octet_length(doc)) OVER (ORDER BY version, seq) AS total
                FROM (SELECT version, seq, key, doc, meta FROM ingest
                    WHERE sid = $1 AND class = $2 AND (version, seq) > ($3, $4) ORDER BY version, seq LIMIT 1000) p) r
            WHERE total - size < $5 ORDER BY version, seq
            """

        static let copyObjectsText = """
            INSERT INTO object(sid, class, key, version, born, dead, doc, meta)
            SELECT $1::int8, t.* FROM unnest($2::text[], $3::bytea[], $4::int8[], $5::int8[], $6::bool[], $7::bytea[], $8::bytea[]) AS t
            """

        /// Inserts files. The classes of a file are passed as a JSON array.
        static let copyFilesText = """
            INSERT INTO client_file(sid, ident, usr, secret, parents, last, hash, clock, least_base, seen_at, subscribed, pending, classes, front)
            SELECT $1::int8, t.ident, t.usr, t.secret, t.parents, t.last, t.hash, t.clock, t.least_base, t.seen_at, t.subscribed, t.pending,
                ARRAY(SELECT jsonb_array_elements_text(t.classes::jsonb)), t.front
            FROM unnest($2::int8[], $3::text[], $4::bytea[], $5::bytea[], $6::int8[], $7::uuid[], $8::int8[], $9::int8[], $10::int8[],
                $11::bytea[], $12::bytea[], $13::text[], $14::bytea[])
                AS t(ident, usr, secret, parents, last, hash, clock, least_base, seen_at, subscribed, pending, classes, front)
            """

        /// Makes a stream visible after all of its rows were written.
        static let finishCopyText = """
            WITH made AS (INSERT INTO stream(sid, app, name, last_ident, label) VALUES ($1, $2, $3, $4, $5) RETURNING sid),
            head AS (INSERT INTO stream_head(sid, epoch, term, version, hash, clock, now, horizon, log_start)
                SELECT sid, $6::int8, 0, $7::int8, $8::uuid, $9::int8, $10::int8, $11::int8, $12::int8 FROM made)
            DELETE FROM stream_draft WHERE sid = $1
            """

        /// Hides a stream. Its rows are removed afterwards.
        static let hideStreamText = """
            WITH hidden AS (DELETE FROM stream WHERE sid = $1 RETURNING sid, app, name),
            head AS (DELETE FROM stream_head WHERE sid = $1)
            INSERT INTO stream_draft(sid, app, name) SELECT sid, app, name FROM hidden
            """

        static let dropCopyText = """
            WITH a AS (DELETE FROM commit_mark WHERE sid = $1), b AS (DELETE FROM commit_answer WHERE sid = $1),
            c AS (DELETE FROM commit_log WHERE sid = $1), d AS (DELETE FROM object WHERE sid = $1),
            e AS (DELETE FROM client_file WHERE sid = $1), f AS (DELETE FROM commit_part WHERE sid = $1),
            g AS (DELETE FROM incoming WHERE sid = $1), h AS (DELETE FROM incoming_part WHERE sid = $1),
            i AS (DELETE FROM ingest WHERE sid = $1), j AS (DELETE FROM user_bytes WHERE sid = $1),
            k AS (DELETE FROM sink_lane WHERE sid = $1)
            DELETE FROM stream_draft WHERE sid = $1
            """
    }
#endif
