#if PostgreSQL
    /// The statements of the store. Each is prepared once for each connection, and planned once (`plan_cache_mode`).
    ///
    /// A row is found by its whole key in a `LATERAL` part with `LIMIT 1`. A join or `= ANY` lets the planner read all rows of the
    /// stream, if it believes that streams have few: without statistics, or in a database with many small streams and a large one.
    ///
    /// They use what PostgreSQL and the distributed databases that speak its protocol have in common: no sequences, triggers, advisory locks, NOTIFY,
    /// `FOR UPDATE`, cursors or temporary tables, and a statement changes a table once.
    enum Statement: String, CaseIterable, Sendable {
        // Streams
        case findStream, makeStream, head, heads, marks, format, barrier
        // Files
        case makeFiles, makeWriter, writer, files, noteFiles, notePending, noteComplete, noteFront, copiedFiles,
            trimFiles
        case oldWriters, dropWriters
        // Answers
        case answersBehind, answers, answersOfFiles
        // Objects
        case objects, page, users
        // The log
        case log, commit
        // Incomplete commits
        case dropPartsBehind, stage, parts, dropParts, dropUnboundParts
        case incoming, incomingOfUser, beginIncoming, appendIncoming, incomingBytes, dropIncoming, dropOldIncoming
        // Upkeep
        case logExcess, trim, trimLog, bury
        // Objects of asymmetric classes
        case ingestedPage, ingestedCount, ingestedDocuments, dropIngested
        case claimLane, touchLane, writeLane, releaseLane, abandonedLanes
        // Commands
        case streams, streamUses, figures, nextClass, filesAfter, markCount, wrongAnswers, partsWithoutFile, wrongJSON
        // SQL for programs
        case sqlState, sqlApps, setSQLApp, sqlStreams, labelStreams, setSQLState, unconvertedStreams, claimSQL
        case objectsWithoutJSON, fillJSON, dropJSON, ingestedWithoutJSON, fillIngestedJSON, dropIngestedJSON
        case nextInbox, inboxRows, commitInbox, finishInbox, claimInbox, trimInbox
        // Copies of streams
        case lastIdent, marksAfter, answersAfter, partsAfter, incomingAfter, allUsers, ingestedAfter, copies
        case beginCopy, finishCopy, hideStream, dropCopy
        case copyMarks, copyLog, copyObjects, copyIngested, copyFiles, copyAnswers, copyParts, copyIncoming, copyUsers

        var sql: String {
            switch self {
            case .format: "SELECT format FROM store WHERE one"
            // A write that changes nothing, and waits for synchronous standbys like all writes.
            case .barrier: "UPDATE store SET timeline = timeline WHERE one"
            case .findStream: "SELECT sid FROM stream WHERE app = $1 AND name = $2"
            case .makeStream:
                """
                WITH made AS (INSERT INTO stream(sid, app, name, last_ident, label) VALUES ($1, $2, $3, 0, $4)
                    ON CONFLICT (app, name) DO NOTHING RETURNING sid),
                first AS (INSERT INTO commit_mark(sid, version, hash, clock, at)
                    SELECT sid, 0, '\(Self.empty)'::uuid, 0, 0 FROM made)
                INSERT INTO stream_head(sid, epoch, term, version, hash, clock, now, horizon, log_start, sql)
                SELECT made.sid, store.epoch, 0, 0, '\(Self.empty)'::uuid, 0, 0, 0, 0,
                    CASE WHEN EXISTS (SELECT 1 FROM sql_app WHERE app = $2 AND is_json) THEN 2 ELSE 0 END
                FROM made CROSS JOIN store
                """
            case .head:
                "SELECT epoch, version, hash, clock, now, horizon, log_start FROM stream_head WHERE sid = $1"
            // $1: the streams. $2: for each stream, a version whose hash is read, too.
            case .heads:
                """
                SELECT t.n, h.epoch, h.version, h.hash, h.clock, h.now, h.horizon, h.log_start, m.hash
                FROM unnest($1::int8[], $2::int8[]) WITH ORDINALITY AS t(sid, known, n)
                JOIN stream_head h ON h.sid = t.sid
                LEFT JOIN commit_mark m ON m.sid = t.sid AND m.version = t.known
                """
            case .marks: Self.rows("version, hash, clock, at", of: "commit_mark", by: "version", "int8")
            // $2 is the number of files.
            case .makeFiles:
                """
                WITH number AS (UPDATE stream SET last_ident = last_ident + $2::int8
                    WHERE sid = $1 AND last_ident <= 4294967295 - $2::int8 RETURNING last_ident)
                INSERT INTO client_file(sid, ident, usr, secret, parents, last, hash, clock, seen_at, classes)
                SELECT $1::int8, last_ident - $2::int8 + t.n, t.usr, t.secret, t.parents, 0, '\(Self.empty)'::uuid, t.clock, 0, '{}'
                FROM number CROSS JOIN unnest($3::text[], $4::bytea[], $5::bytea[], $6::int8[])
                    WITH ORDINALITY AS t(usr, secret, parents, clock, n)
                RETURNING ident
                """
            // The unique index of writers prevents a second row.
            case .makeWriter:
                """
                WITH number AS (UPDATE stream SET last_ident = last_ident + 1 WHERE sid = $1 AND last_ident < 4294967295
                    RETURNING last_ident)
                INSERT INTO client_file(sid, ident, usr, secret, parents, last, hash, clock, seen_at, classes)
                SELECT $1::int8, last_ident, '', $2::bytea, NULL, 0, '\(Self.empty)'::uuid, 0, 0, '{}' FROM number
                ON CONFLICT DO NOTHING RETURNING ident
                """
            case .writer:
                """
                SELECT ident, usr, secret, parents, last, hash, clock, least_base, seen_at, subscribed, pending, classes, front
                FROM client_file WHERE sid = $1 AND usr = '' AND secret = $2
                """
            case .oldWriters:
                "SELECT f.ident FROM client_file f WHERE \(Self.isOldWriter) ORDER BY f.ident"
            case .dropWriters:
                """
                WITH dropped AS (DELETE FROM client_file f WHERE \(Self.isOldWriter) AND f.ident = ANY($3) RETURNING f.ident)
                DELETE FROM commit_answer WHERE sid = $1 AND ident IN (SELECT ident FROM dropped)
                """
            case .files:
                Self.rows(
                    "ident, usr, secret, parents, last, hash, clock, least_base, seen_at, subscribed, pending, classes, front",
                    of: "client_file",
                    by: "ident",
                    "int8"
                )
            case .noteFiles:
                """
                WITH note AS (SELECT t.sid, t.ident, t.acknowledged, t.least_base, t.seen_at,
                        least(t.acknowledged, coalesce((SELECT min(a.number) FROM commit_answer a
                            JOIN stream_head h ON h.sid = a.sid
                            WHERE a.sid = t.sid AND a.ident = t.ident AND a.version > h.horizon), 9223372036854775807)) AS first
                    FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[])
                        AS t(sid, ident, acknowledged, least_base, seen_at)),
                noted AS (UPDATE client_file c SET acknowledged = note.acknowledged, least_base = note.least_base,
                        seen_at = note.seen_at
                    FROM note WHERE c.sid = note.sid AND c.ident = note.ident)
                DELETE FROM commit_answer b USING note
                WHERE b.sid = note.sid AND b.ident = note.ident AND b.number < note.first
                """
            case .notePending:
                """
                UPDATE client_file SET pending = $3,
                    classes = ARRAY(SELECT unnest(classes) UNION SELECT unnest($4::text[]))
                WHERE sid = $1 AND ident = $2
                """
            case .noteComplete:
                """
                UPDATE client_file SET subscribed = $3, pending = NULL, classes = $4::text[]
                WHERE sid = $1 AND ident = $2
                """
            case .noteFront: "UPDATE client_file SET front = $3 WHERE sid = $1 AND ident = $2"
            case .copiedFiles:
                """
                SELECT ident, parents FROM client_file
                WHERE sid = $1 AND ident >= $2 AND ident <> $3 AND parents IS NOT NULL ORDER BY ident
                """
            case .trimFiles:
                """
                DELETE FROM client_file WHERE sid = $1 AND last = 0 AND parents IS NULL AND seen_at <> 0
                    AND seen_at < CASE WHEN subscribed IS NULL THEN $2::int8 ELSE $3::int8 END
                """
            case .answersBehind:
                """
                SELECT ident, number, version, clock, hash, refusals FROM commit_answer
                WHERE sid = $1 AND ident = $2 AND number >= $3 ORDER BY number
                """
            case .answers:
                """
                SELECT a.ident, a.number, a.version, a.clock, a.hash, a.refusals
                FROM (SELECT DISTINCT * FROM unnest($2::int8[], $3::int8[]) AS t(ident, number)) k
                CROSS JOIN LATERAL (SELECT * FROM commit_answer r
                    WHERE r.sid = $1 AND r.ident = k.ident AND r.number = k.number LIMIT 1) a
                """
            case .answersOfFiles:
                """
                SELECT a.ident, a.number, a.version, a.clock, a.hash, a.refusals
                FROM (SELECT DISTINCT * FROM unnest($2::int8[]) AS t(ident)) k
                CROSS JOIN LATERAL (SELECT * FROM commit_answer r WHERE r.sid = $1 AND r.ident = k.ident OFFSET 0) a
                ORDER BY a.ident, a.number
                """
            // The first rows, up to the one with which the sum of their bytes reaches $4.
            case .objects:
                """
                SELECT n, version, dead, doc, meta FROM (
                    SELECT t.n, o.version, o.dead, o.doc, o.meta, octet_length(o.doc) + octet_length(o.meta) AS size,
                        sum(octet_length(o.doc) + octet_length(o.meta)) OVER (ORDER BY t.n) AS total
                    FROM unnest($2::text[], $3::bytea[]) WITH ORDINALITY AS t(class, key, n)
                    CROSS JOIN LATERAL (SELECT version, dead, doc, meta FROM object x
                        WHERE x.sid = $1 AND x.class = t.class AND x.key = t.key LIMIT 1) o) r
                WHERE total - size < $4 ORDER BY n
                """
            // Rows that aren't deleted, or that were deleted after the version $4.
            case .page:
                """
                SELECT key, version, dead, doc, meta FROM (
                    SELECT key, version, dead, doc, meta, octet_length(doc) + octet_length(meta) AS size,
                        sum(octet_length(doc) + octet_length(meta)) OVER (ORDER BY key) AS total
                    FROM (SELECT key, version, dead, doc, meta FROM object
                        WHERE sid = $1 AND class = $2 AND key > $3 AND (NOT dead OR version > $4)
                        ORDER BY key LIMIT $5) p) r
                WHERE total - size < $6 ORDER BY key
                """
            case .users: Self.rows("usr, bytes", of: "user_bytes", by: "usr", "text")
            case .log:
                """
                SELECT version, body FROM (
                    SELECT version, body, octet_length(body) AS size, sum(octet_length(body)) OVER (ORDER BY version) AS total
                    FROM (SELECT version, body FROM commit_log WHERE sid = $1 AND version > $2
                        ORDER BY version LIMIT 500) p) r
                WHERE total - size < $3 ORDER BY version
                """
            case .commit: Self.commitText(ofInbox: false)
            case .ingestedPage: Self.ingestedPageText
            case .ingestedCount:
                "SELECT count(*) FROM ingest WHERE sid = $1 AND class = $2 AND (version, seq) > ($3, $4)"
            case .ingestedDocuments: Self.ingestedDocumentsText
            case .dropIngested:
                """
                DELETE FROM ingest WHERE sid = $1 AND class = $2 AND key IN (SELECT key FROM ingest
                    WHERE sid = $1 AND class = $2 AND (version, seq) <= ($3, $4) LIMIT 5000) RETURNING version
                """
            case .claimLane: Self.claimLaneText
            case .touchLane:
                """
                UPDATE sink_lane SET claimed_until = \(Self.claimEnd) WHERE sid = $1 AND class = $2 AND owner = $3
                RETURNING owner
                """
            case .writeLane:
                """
                UPDATE sink_lane SET record = $4, claimed_until = \(Self.claimEnd)
                WHERE sid = $1 AND class = $2 AND owner = $3 RETURNING owner
                """
            case .releaseLane:
                "UPDATE sink_lane SET claimed_until = 0 WHERE sid = $1 AND class = $2 AND owner = $3"
            case .abandonedLanes:
                """
                SELECT s.name, l.class FROM sink_lane l JOIN stream s ON s.sid = l.sid
                WHERE l.claimed_until > 0 AND l.claimed_until <= \(Self.time) ORDER BY l.claimed_until LIMIT 100
                """
            case .streams: "SELECT sid, name FROM stream WHERE sid > $1 ORDER BY sid LIMIT 10000"
            case .streamUses: Self.streamUsesText
            case .figures: Self.figuresText
            case .nextClass: Self.nextClassText
            case .filesAfter:
                """
                SELECT ident, usr, secret, parents, last, hash, clock, least_base, seen_at, subscribed, pending, classes, front
                FROM client_file WHERE sid = $1 AND ident > $2 ORDER BY ident LIMIT 500
                """
            case .markCount:
                """
                SELECT count(*), coalesce(min(version), -1), coalesce(max(version), -1) FROM commit_mark
                WHERE sid = $1 AND version <= (SELECT version FROM stream_head WHERE sid = $1)
                """
            case .wrongAnswers:
                """
                SELECT a.ident, a.number FROM commit_answer a JOIN stream_head h ON h.sid = a.sid
                LEFT JOIN client_file f ON f.sid = a.sid AND f.ident = a.ident
                WHERE a.sid = $1 AND (f.ident IS NULL OR a.number > f.last OR a.version > h.version)
                ORDER BY a.ident, a.number LIMIT 20
                """
            case .partsWithoutFile:
                """
                SELECT DISTINCT p.ident FROM incoming_part p LEFT JOIN incoming i ON i.sid = p.sid AND i.ident = p.ident
                WHERE p.sid = $1 AND i.ident IS NULL LIMIT 20
                """
            case .wrongJSON:
                """
                SELECT count(*) FROM object o JOIN stream_head h ON h.sid = o.sid
                WHERE o.sid = $1 AND (CASE WHEN o.json IS NULL THEN h.sql = 2 AND NOT o.dead ELSE h.sql = 0 OR o.dead END)
                """
            case .sqlState: "SELECT sql FROM stream_head WHERE sid = $1"
            case .sqlApps: "SELECT app, is_json, views FROM sql_app"
            case .setSQLApp:
                """
                INSERT INTO sql_app(app, is_json) VALUES ($1, $2)
                ON CONFLICT (app) DO UPDATE SET is_json = excluded.is_json
                """
            case .sqlStreams:
                """
                SELECT s.sid, s.name, s.label, h.sql FROM stream s JOIN stream_head h ON h.sid = s.sid
                WHERE s.app = $1 AND s.sid > $2 ORDER BY s.sid LIMIT 1000
                """
            case .labelStreams:
                "UPDATE stream s SET label = t.label FROM unnest($1::int8[], $2::text[]) AS t(sid, label) WHERE s.sid = t.sid"
            case .setSQLState: "UPDATE stream_head SET sql = $3 WHERE sid = $1 AND sql = $2"
            case .unconvertedStreams:
                """
                SELECT s.sid FROM stream s JOIN stream_head h ON h.sid = s.sid JOIN sql_app a ON a.app = s.app
                WHERE s.app = $1 AND (h.sql <> CASE WHEN a.is_json THEN 2 ELSE 0 END OR s.label IS NULL) LIMIT 1
                """
            case .claimSQL: Self.claimSQLText
            case .objectsWithoutJSON: Self.withoutJSONText("object", where: " AND NOT dead")
            case .fillJSON: Self.fillJSONText("object")
            case .dropJSON: Self.dropJSONText("object")
            case .ingestedWithoutJSON: Self.withoutJSONText("ingest")
            case .fillIngestedJSON: Self.fillJSONText("ingest")
            case .dropIngestedJSON: Self.dropJSONText("ingest")
            case .nextInbox: Self.nextInboxText
            case .inboxRows: Self.inboxRowsText
            case .commitInbox: Self.commitText(ofInbox: true)
            case .finishInbox: Self.finishInboxText
            case .claimInbox: Self.claimInboxText
            case .trimInbox: Self.trimInboxText
            case .lastIdent: "SELECT last_ident FROM stream WHERE sid = $1"
            case .marksAfter: Self.marksAfterText
            case .answersAfter: Self.answersAfterText
            case .partsAfter: Self.partsAfterText
            case .incomingAfter:
                "SELECT ident, number, hash, count, at FROM incoming WHERE sid = $1 AND ident > $2 ORDER BY ident LIMIT 20"
            case .allUsers: "SELECT usr, bytes FROM user_bytes WHERE sid = $1"
            case .ingestedAfter: Self.ingestedAfterText
            case .copies: "SELECT sid FROM stream_draft WHERE app = $1 AND name = $2"
            case .beginCopy: "INSERT INTO stream_draft(sid, app, name) VALUES ($1, $2, $3)"
            case .finishCopy: Self.finishCopyText
            case .hideStream: Self.hideStreamText
            case .dropCopy: Self.dropCopyText
            case .copyMarks:
                """
                INSERT INTO commit_mark(sid, version, hash, clock, at)
                SELECT $1::int8, t.* FROM unnest($2::int8[], $3::uuid[], $4::int8[], $5::int8[]) AS t
                """
            case .copyLog:
                "INSERT INTO commit_log(sid, version, body) SELECT $1::int8, t.* FROM unnest($2::int8[], $3::bytea[]) AS t"
            case .copyObjects: Self.copyObjectsText
            case .copyIngested:
                """
                INSERT INTO ingest(sid, class, key, version, seq, doc, meta)
                SELECT $1::int8, t.* FROM unnest($2::text[], $3::bytea[], $4::int8[], $5::int8[], $6::bytea[], $7::bytea[]) AS t
                """
            case .copyFiles: Self.copyFilesText
            case .copyAnswers:
                """
                INSERT INTO commit_answer(sid, ident, number, version, clock, hash, refusals)
                SELECT $1::int8, t.* FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::uuid[], $7::bytea[]) AS t
                """
            case .copyParts:
                """
                INSERT INTO commit_part(sid, ident, number, part, body)
                SELECT $1::int8, t.* FROM unnest($2::int8[], $3::int8[], $4::int8[], $5::bytea[]) AS t
                """
            case .copyIncoming:
                """
                WITH copied AS (INSERT INTO incoming(sid, ident, number, hash, count, received, at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING sid, ident)
                INSERT INTO incoming_part(sid, ident, start, body)
                SELECT copied.sid, copied.ident, t.* FROM copied CROSS JOIN unnest($8::int8[], $9::bytea[]) AS t
                """
            case .copyUsers:
                "INSERT INTO user_bytes(sid, usr, bytes) SELECT $1::int8, t.* FROM unnest($2::text[], $3::int8[]) AS t"
            case .dropPartsBehind:
                "DELETE FROM commit_part WHERE sid = $1 AND ident = $2 AND number = $3 AND part > $4"
            case .stage:
                """
                INSERT INTO commit_part(sid, ident, number, part, body)
                SELECT $1::int8, $2::int8, $3::int8, $4::int8, $5::bytea
                WHERE $4::int8 <= (SELECT count(*) FROM commit_part WHERE sid = $1 AND ident = $2 AND number = $3)
                ON CONFLICT (sid, ident, number, part) DO UPDATE SET body = excluded.body RETURNING part
                """
            case .parts:
                """
                SELECT part, body FROM commit_part WHERE sid = $1 AND ident = $2 AND number = $3 AND part >= $4
                ORDER BY part LIMIT 4
                """
            case .dropParts: "DELETE FROM commit_part WHERE sid = $1 AND ident = $2 AND number = $3"
            case .dropUnboundParts:
                """
                DELETE FROM commit_part WHERE sid = $1 AND coalesce((SELECT seen_at FROM client_file f
                    WHERE f.sid = commit_part.sid AND f.ident = commit_part.ident), 0) < $2
                """
            case .incoming:
                "SELECT number, hash, count, received FROM incoming WHERE sid = $1 AND ident = $2"
            case .incomingOfUser:
                """
                SELECT i.ident, i.count, i.at FROM client_file own
                JOIN client_file f ON f.sid = own.sid AND f.usr = own.usr
                JOIN incoming i ON i.sid = f.sid AND i.ident = f.ident
                WHERE own.sid = $1 AND own.ident = $2 AND i.ident <> $2
                """
            case .beginIncoming:
                """
                WITH begun AS (INSERT INTO incoming(sid, ident, number, hash, count, received, at)
                    SELECT sid, ident, $3::int8, $4::uuid, $5::int8, $6::int8, $7::int8 FROM client_file WHERE sid = $1 AND ident = $2
                    ON CONFLICT (sid, ident) DO UPDATE SET number = excluded.number, hash = excluded.hash,
                        count = excluded.count, received = excluded.received, at = excluded.at
                    RETURNING sid, ident)
                INSERT INTO incoming_part(sid, ident, start, body) SELECT sid, ident, 0, $8::bytea FROM begun
                ON CONFLICT (sid, ident, start) DO UPDATE SET body = excluded.body RETURNING ident
                """
            case .appendIncoming:
                """
                WITH added AS (UPDATE incoming SET received = $7, at = $8
                    WHERE sid = $1 AND ident = $2 AND number = $3 AND hash = $4 AND count = $5 AND received = $6
                        AND EXISTS (SELECT 1 FROM client_file f WHERE f.sid = incoming.sid AND f.ident = incoming.ident)
                    RETURNING sid, ident)
                INSERT INTO incoming_part(sid, ident, start, body) SELECT sid, ident, $6::int8, $9::bytea FROM added
                ON CONFLICT (sid, ident, start) DO UPDATE SET body = excluded.body RETURNING ident
                """
            case .incomingBytes:
                """
                SELECT start, body FROM incoming_part WHERE sid = $1 AND ident = $2 AND start >= $3
                ORDER BY start LIMIT 4
                """
            case .dropIncoming:
                """
                WITH dropped AS (DELETE FROM incoming WHERE sid = $1 AND ident = ANY($2))
                DELETE FROM incoming_part WHERE sid = $1 AND ident = ANY($2)
                """
            case .dropOldIncoming:
                """
                WITH dropped AS (DELETE FROM incoming WHERE sid = $1 AND at < $2 RETURNING ident)
                DELETE FROM incoming_part WHERE sid = $1 AND ident IN (SELECT ident FROM dropped)
                """
            // The greatest version from which on the log has more than $2 bytes.
            case .logExcess:
                """
                SELECT coalesce(max(version), 0) FROM (
                    SELECT version, sum(octet_length(body)) OVER (ORDER BY version DESC) AS total
                    FROM commit_log WHERE sid = $1) r
                WHERE total > $2
                """
            // $2: the start of the log. $3: the horizon. A file that was connected after the time $4 can require a lower horizon.
            case .trim:
                """
                UPDATE stream_head SET log_start = greatest(log_start, $2), horizon = greatest(horizon, least($3,
                    greatest(log_start, $2), (SELECT min(least_base) FROM client_file
                        WHERE sid = $1 AND seen_at >= $4 AND least_base >= 0)))
                WHERE sid = $1
                """
            case .trimLog:
                """
                DELETE FROM commit_log WHERE sid = $1 AND version IN (SELECT version FROM commit_log
                    WHERE sid = $1 AND version <= $2 ORDER BY version LIMIT 1000) RETURNING version
                """
            case .bury:
                """
                DELETE FROM object WHERE sid = $1 AND dead AND version <= $2 AND (class, key) IN (SELECT class, key FROM object
                    WHERE sid = $1 AND dead AND version <= $2 LIMIT 1000) RETURNING version
                """
            }
        }

        /// A condition for files for submissions with another secret than $2, if all of their answers are at or before the horizon.
        private static let isOldWriter = """
            f.sid = $1 AND f.usr = '' AND f.secret <> $2 AND f.parents IS NULL AND NOT EXISTS (SELECT 1
                FROM commit_answer a JOIN stream_head h ON h.sid = a.sid
                WHERE a.sid = f.sid AND a.ident = f.ident AND a.version > h.horizon)
            """
        private static let empty = "00000000-0000-0000-0000-000000000000"
    }
#endif
