#if PostgreSQL
    extension Statement {
        /// Takes a group of commits into one stream, whole or not at all, in one statement.
        ///
        /// The first row of the answer has the number of heads that were moved, 0 or 1, and that of files that are missing or have changed. A file
        /// that is deleted while the statement runs is an error (division by zero): the statement then does nothing.
        ///
        /// Parameters: $1 sid, $2 epoch, $3–$5 the expected version, hash and horizon, $6–$9 the new version, hash, clock and time; then arrays,
        /// each with an element for each row.
        static let commitText = """
            WITH file AS (SELECT * FROM unnest($10::int8[], $11::bytea[], $12::int8[], $13::int8[], $14::uuid[], $15::int8[], $16::bytea[])
                AS t(ident, secret, before, last, hash, clock, parents)),
            lost AS (SELECT file.ident FROM file LEFT JOIN client_file c ON c.sid = $1 AND c.ident = file.ident
                WHERE c.ident IS NULL OR c.secret <> file.secret OR c.last <> file.before),
            head AS (UPDATE stream_head SET version = $6, hash = $7, clock = $8, now = $9
                WHERE sid = $1 AND epoch = $2 AND version = $3 AND hash = $4 AND horizon = $5
                    AND NOT EXISTS (SELECT 1 FROM lost)
                RETURNING sid),
            mark AS (INSERT INTO commit_mark(sid, version, hash, clock, at)
                SELECT head.sid, t.* FROM head CROSS JOIN unnest($17::int8[], $18::uuid[], $19::int8[], $20::int8[]) AS t),
            answer AS (INSERT INTO commit_answer(sid, ident, number, version, clock, hash, refusals)
                SELECT head.sid, t.* FROM head
                CROSS JOIN unnest($21::int8[], $22::int8[], $23::int8[], $24::int8[], $25::uuid[], $26::bytea[]) AS t),
            noted AS (UPDATE client_file c SET last = coalesce(file.last, c.last), hash = coalesce(file.hash, c.hash),
                    clock = coalesce(file.clock, c.clock),
                    parents = CASE WHEN file.last IS NULL THEN c.parents ELSE file.parents END
                FROM file CROSS JOIN head WHERE c.sid = head.sid AND c.ident = file.ident RETURNING c.ident),
            logged AS (INSERT INTO commit_log(sid, version, body)
                SELECT head.sid, t.* FROM head CROSS JOIN unnest($27::int8[], $28::bytea[]) AS t),
            written AS (INSERT INTO object(sid, class, key, version, born, dead, doc, meta)
                SELECT head.sid, t.* FROM head CROSS JOIN
                    unnest($29::text[], $30::bytea[], $31::int8[], $32::int8[], $33::bool[], $34::bytea[], $35::bytea[]) AS t
                ON CONFLICT (sid, class, key) DO UPDATE SET version = excluded.version, born = excluded.born,
                    dead = excluded.dead, doc = excluded.doc, meta = excluded.meta),
            ingested AS (INSERT INTO ingest(sid, class, key, version, seq, doc, meta)
                SELECT head.sid, t.class, t.key, $6, t.seq, t.doc, t.meta FROM head CROSS JOIN
                    unnest($36::text[], $37::bytea[], $38::int8[], $39::bytea[], $40::bytea[]) AS t(class, key, seq, doc, meta)
                ON CONFLICT (sid, class, key) DO NOTHING),
            used AS (INSERT INTO user_bytes(sid, usr, bytes)
                SELECT head.sid, t.usr, greatest(0, coalesce(u.bytes, 0) + t.bytes)
                FROM head CROSS JOIN unnest($41::text[], $42::int8[]) AS t(usr, bytes)
                LEFT JOIN user_bytes u ON u.sid = $1 AND u.usr = t.usr
                ON CONFLICT (sid, usr) DO UPDATE SET bytes = excluded.bytes),
            parted AS (DELETE FROM commit_part WHERE sid = (SELECT sid FROM head)
                AND (ident, number) IN (SELECT * FROM unnest($43::int8[], $44::int8[]))),
            whole AS (DELETE FROM incoming i USING head, unnest($43::int8[], $44::int8[]) AS t(ident, number)
                WHERE i.sid = head.sid AND i.ident = t.ident AND i.number <= t.number RETURNING i.sid, i.ident),
            dropped AS (DELETE FROM incoming_part p USING whole WHERE p.sid = whole.sid AND p.ident = whole.ident)
            SELECT (SELECT count(*) FROM head), (SELECT count(*) FROM lost),
                CASE WHEN (SELECT count(*) FROM head) > 0 AND (SELECT count(*) FROM noted) <> (SELECT count(*) FROM file)
                    THEN 1 / (0 * (SELECT count(*) FROM noted)) ELSE 1 END
            """
    }
#endif
