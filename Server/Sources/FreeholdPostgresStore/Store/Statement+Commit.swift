#if PostgreSQL
    extension Statement {
        /// Adds a group of commits to one stream, completely or not at all, with one statement.
        ///
        /// The first row of the answer contains the number of changed heads (0 or 1), the number of files that are missing or have changed, a number
        /// without a meaning, and the format of the tables. The statement has no effect on tables of a later format. If a file is deleted while the
        /// statement runs, the statement fails (division by zero) and has no effect.
        ///
        /// Parameters: $1 sid, $2 epoch, $3–$5 the expected version, hash and horizon, $6–$9 the new version, hash, clock and time; then arrays,
        /// each with an element for each row. $46 is the expected state of the stream's JSON (`SQLState`).
        ///
        /// With rows of the inbox, $49 contains their numbers and $50 the reasons for their refusal. The statement has no effect unless all of these
        /// rows are waiting, and the fifth number of its answer is the number of waiting rows.
        static func commitText(ofInbox: Bool) -> String {
            """
            WITH \(ofInbox ? waitingText : "")file AS (SELECT * FROM unnest($10::int8[], $11::bytea[], $12::int8[], $13::int8[], $14::uuid[], $15::int8[], $16::bytea[], $45::bytea[])
                AS t(ident, secret, before, last, hash, clock, parents, front)),
            lost AS (SELECT file.ident FROM file LEFT JOIN LATERAL (SELECT f.ident, f.secret, f.last FROM client_file f
                    WHERE f.sid = $1 AND f.ident = file.ident LIMIT 1) c ON true
                WHERE c.ident IS NULL OR c.secret <> file.secret OR c.last <> file.before),
            head AS (UPDATE stream_head SET version = $6, hash = $7, clock = $8, now = $9
                WHERE sid = $1 AND epoch = $2 AND version = $3 AND hash = $4 AND horizon = $5
                    AND sql = $46 AND (SELECT format FROM store WHERE one) <= \(Tables.format)
                    AND NOT EXISTS (SELECT 1 FROM lost)\(ofInbox ? waitingTest : "")
                RETURNING sid),
            mark AS (INSERT INTO commit_mark(sid, version, hash, clock, at)
                SELECT head.sid, t.* FROM head CROSS JOIN unnest($17::int8[], $18::uuid[], $19::int8[], $20::int8[]) AS t),
            answer AS (INSERT INTO commit_answer(sid, ident, number, version, clock, hash, refusals)
                SELECT head.sid, t.* FROM head
                CROSS JOIN unnest($21::int8[], $22::int8[], $23::int8[], $24::int8[], $25::uuid[], $26::bytea[]) AS t),
            noted AS (UPDATE client_file c SET last = coalesce(n.last, c.last), hash = coalesce(n.hash, c.hash),
                    clock = coalesce(n.clock, c.clock),
                    parents = CASE WHEN n.last IS NULL THEN c.parents ELSE n.parents END,
                    front = coalesce(n.front, c.front)
                FROM (SELECT head.sid, file.* FROM file CROSS JOIN head OFFSET 0) n
                WHERE c.sid = n.sid AND c.ident = n.ident RETURNING c.ident),
            logged AS (INSERT INTO commit_log(sid, version, body)
                SELECT head.sid, t.* FROM head CROSS JOIN unnest($27::int8[], $28::bytea[]) AS t),
            written AS (INSERT INTO object(sid, class, key, version, born, dead, doc, meta, json)
                SELECT head.sid, t.class, t.key, t.version, t.born, t.dead, t.doc, t.meta, t.json::jsonb FROM head CROSS JOIN
                    unnest($29::text[], $30::bytea[], $31::int8[], $32::int8[], $33::bool[], $34::bytea[], $35::bytea[], $47::text[])
                    AS t(class, key, version, born, dead, doc, meta, json)
                ON CONFLICT (sid, class, key) DO UPDATE SET version = excluded.version, born = excluded.born,
                    dead = excluded.dead, doc = excluded.doc, meta = excluded.meta, json = excluded.json),
            ingested AS (INSERT INTO ingest(sid, class, key, version, seq, doc, meta, json)
                SELECT head.sid, t.class, t.key, $6, t.seq, t.doc, t.meta, t.json::jsonb FROM head CROSS JOIN
                    unnest($36::text[], $37::bytea[], $38::int8[], $39::bytea[], $40::bytea[], $48::text[])
                    AS t(class, key, seq, doc, meta, json)
                ON CONFLICT (sid, class, key) DO NOTHING),
            used AS (INSERT INTO user_bytes(sid, usr, bytes)
                SELECT head.sid, t.usr, greatest(0, coalesce(u.bytes, 0) + t.bytes)
                FROM head CROSS JOIN unnest($41::text[], $42::int8[]) AS t(usr, bytes)
                LEFT JOIN LATERAL (SELECT b.bytes FROM user_bytes b WHERE b.sid = $1 AND b.usr = t.usr LIMIT 1) u ON true
                ON CONFLICT (sid, usr) DO UPDATE SET bytes = excluded.bytes),
            complete AS (SELECT head.sid, t.* FROM head CROSS JOIN unnest($43::int8[], $44::int8[]) AS t(ident, number)),
            parted AS (DELETE FROM commit_part p USING complete t
                WHERE p.sid = t.sid AND p.ident = t.ident AND p.number = t.number),
            whole AS (DELETE FROM incoming i USING complete t
                WHERE i.sid = t.sid AND i.ident = t.ident AND i.number <= t.number RETURNING i.sid, i.ident),
            dropped AS (DELETE FROM incoming_part p USING whole WHERE p.sid = whole.sid AND p.ident = whole.ident)\(ofInbox ? reportedText : "")
            SELECT (SELECT count(*) FROM head), (SELECT count(*) FROM lost),
                CASE WHEN (SELECT count(*) FROM head) > 0 AND ((SELECT count(*) FROM noted) <> (SELECT count(*) FROM file)\(ofInbox ? reportedTest : ""))
                    THEN 1 / (0 * (SELECT count(*) FROM noted)) ELSE 1 END,
                (SELECT format FROM store WHERE one)\(ofInbox ? ", (SELECT count(*) FROM waiting)" : "")
            """
        }

        private static let waitingText = """
            taken AS (SELECT * FROM unnest($49::uuid[], $50::text[]) AS t(id, refused)),
            waiting AS (SELECT i.id FROM taken JOIN inbox i ON i.sid = $1 AND i.id = taken.id AND i.done_at IS NULL),

            """
        private static let waitingTest = " AND (SELECT count(*) FROM waiting) = (SELECT count(*) FROM taken)"
        private static let reportedText = """
            ,
            reported AS (UPDATE inbox i SET done_at = clock_timestamp(), version = $6, refused = taken.refused
                FROM taken CROSS JOIN head WHERE i.sid = head.sid AND i.id = taken.id AND i.done_at IS NULL RETURNING i.id)
            """
        private static let reportedTest = " OR (SELECT count(*) FROM reported) <> (SELECT count(*) FROM taken)"
    }
#endif
