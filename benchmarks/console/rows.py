"""The rows of people in studies, made by the database: what they did, and what a team did about it.

Each statement fills every study whose number is in `%(studies)s`; `%(large)s` is the large one. Which person
did what follows from their number, so that every run makes the same. One in 100 answers at the moment, the
others did on one of the last 60 days; two in 25 of those who finished are flagged, of whom three in four
have a verdict.
"""

# One in 26 applied and does not take part: half of them wait, half were rejected.
PEOPLE = """
WITH made AS (
  INSERT INTO studies_user (email, password, is_superuser, is_staff, is_active, first_name, last_name,
  date_joined,
                            session_epoch, may_create_studies, language, time_zone)
  SELECT study.slug || '-' || n || '@example.org', '!', false, false, true, '', '', %(now)s, 0, false, '', ''
  FROM studies_study study, generate_series(1, %(people)s + %(people)s / 25) n WHERE study.id = %(study)s
  RETURNING id
), numbered AS (
  SELECT id, row_number() OVER (ORDER BY id) AS number FROM made
)
INSERT INTO studies_participant (study_id, user_id, code, profile, vetting_status, vetting_reason, is_test,
                                 extra_minutes, check_attempts, submitted_at, stored_bytes)
SELECT %(study)s, id, 'P-' || lpad(number::text, 6, '0'),
       (%(profiles)s::text[])[1 + id %% cardinality(%(profiles)s::text[])],
       CASE WHEN number <= %(people)s THEN 'approved' WHEN number %% 2 = 0 THEN 'submitted' ELSE
       'rejected' END,
       CASE WHEN number > %(people)s AND number %% 2 <> 0 THEN 'No degree.' ELSE '' END,
       number %% 1000 = 9, 0, 2,
       %(now)s::timestamptz - interval '1 day', 1000
FROM numbered
"""
# Those who wait, were rejected or have not come yet have none.
SESSIONS = """
INSERT INTO batches_session (id, participant_id, batch_id, arm, status, started_at, deadline_at, ended_at,
                             overdue_rule, late_tolerance_seconds, answer_max_characters, asks_note,
                             asks_confidence, extended_seconds, resources, resources_note, answer_states,
                             answer_seconds)
SELECT gen_random_uuid(), person.id, batch.id, '', made.status, made.start, made.start + interval '5 hours',
       CASE made.status WHEN 'expired' THEN made.start + interval '5 hours' WHEN 'submitted'
         THEN made.start + interval '2 hours' + person.id * 7919 %% 7200000 * interval '1 millisecond' END,
       'saved_counts', 10, 100000, false, false, 0, '[]', '', '', ''
FROM studies_participant person
CROSS JOIN LATERAL (
  SELECT CASE WHEN person.id %% 100 = 0 THEN 'active' WHEN person.id %% 5 = 4 THEN 'expired' ELSE
  'submitted' END
           AS status,
         %(now)s::timestamptz - CASE WHEN person.id %% 100 = 0 THEN (person.id / 100 %% 280) * interval
         '1 minute'
                                     ELSE (1 + person.id %% 60) * interval '1 day' END AS start
) made
JOIN batches_batchplan plan ON plan.study_id = person.study_id
CROSS JOIN LATERAL (SELECT count(*) AS sets FROM batches_batch WHERE plan_id = plan.id) counted
JOIN batches_batch batch ON batch.plan_id = plan.id AND batch.number = 1 + person.id %% counted.sets
WHERE person.study_id = ANY(%(studies)s) AND person.vetting_status = 'approved'
"""
ANSWERS = """
INSERT INTO batches_answer (session_id, prompt_id, position, text, note, is_flagged, revision, tab,
  sequence,
                            first_seen_at, saved_at, has_text, is_open, history_bytes)
SELECT session.id, place.prompt_id, place.position,
       CASE WHEN seen.has_text THEN 'It follows from what was measured before.' ELSE '' END, '', false,
       seen.has_text::int, CASE WHEN seen.has_text THEN 'a' ELSE '' END, seen.has_text::int,
       session.started_at + place.position * interval '4 minutes',
       CASE WHEN seen.has_text THEN session.started_at + place.position * interval '5 minutes' END,
       seen.has_text, session.status = 'active', 40
FROM batches_session session
JOIN studies_participant person ON person.id = session.participant_id
JOIN batches_batchprompt place ON place.batch_id = session.batch_id
CROSS JOIN LATERAL (SELECT (person.id + place.position) %% 15 <> 0 AS has_text) seen
WHERE person.study_id = ANY(%(studies)s)
"""
REVISIONS = """
INSERT INTO batches_revision (answer_id, number, base_revision, outcome, text, note, tab, sequence,
  received_at)
SELECT answer.id, 1, 0, 'accepted', answer.text, '', 'a', 1, answer.saved_at
FROM batches_answer answer
JOIN batches_session session ON session.id = answer.session_id
JOIN studies_participant person ON person.id = session.participant_id
WHERE person.study_id = %(large)s AND answer.has_text
"""
EVENTS = """
INSERT INTO batches_sessionevent (session_id, kind, details, happened_at, recorded_at)
SELECT session.id, kind, '{}', session.started_at, session.started_at
FROM batches_session session
JOIN studies_participant person ON person.id = session.participant_id
CROSS JOIN LATERAL unnest(ARRAY['started', CASE WHEN status <> 'active' THEN status END]) AS kind
WHERE person.study_id = ANY(%(studies)s) AND kind IS NOT NULL
"""
TRAIL = """
INSERT INTO studies_studyevent (study_id, participant_id, kind, details, happened_at)
SELECT study_id, id, made.kind, made.details::jsonb, submitted_at
FROM studies_participant
CROSS JOIN (VALUES ('consent_accepted', '{}'), ('profile_submitted', '{}'), ('participant_approved',
  '{}')) AS made(kind, details)
WHERE study_id = ANY(%(studies)s)
"""
FORMS = """
INSERT INTO studies_profileform (participant_id, answers, submitted_at)
SELECT id, '{"field": "physics"}', submitted_at FROM studies_participant WHERE study_id = ANY(%(studies)s)
"""
CONSENTS = """
INSERT INTO studies_consent (participant_id, accepted, text, recorded, told, sha256, decided_at)
SELECT id, true, 'I agree.', '[]', '[]', repeat('0', 64), submitted_at
FROM studies_participant WHERE study_id = ANY(%(studies)s)
"""
# Everybody came by an invitation, and half as many more have one that nobody has accepted.
INVITATIONS = """
INSERT INTO studies_invitation (study_id, email, name, profile, is_test, language, token_sha256, created_at,
  expires_at,
                                sent_at, send_problem, accepted_at, participant_id)
SELECT person.study_id, copy || '-' || account.email, '', person.profile, person.is_test, '',
       encode(sha256((copy || account.email)::bytea), 'hex'), person.submitted_at,
       person.submitted_at + interval '30 days', person.submitted_at, '',
       CASE WHEN copy = 1 THEN person.submitted_at END, CASE WHEN copy = 1 THEN person.id END
FROM studies_participant person
JOIN studies_user account ON account.id = person.user_id
CROSS JOIN generate_series(1, 2) copy
WHERE person.study_id = ANY(%(studies)s) AND (copy = 1 OR person.id %% 2 = 0)
"""
MAILS = """
INSERT INTO studies_mailrecord (study_id, kind, participant_id, is_test, outcome, problem, attempts,
  queued_at,
                                decided_at)
SELECT study_id, kind, id, false, CASE WHEN id %% 400 = 0 THEN 'too_old' ELSE 'sent' END, '', 1,
  submitted_at,
       submitted_at
FROM studies_participant, unnest(ARRAY['decision', 'reminder', 'receipt']) kind
WHERE study_id = ANY(%(studies)s)
"""
# One in ten has written, every second of them has a reply.
MESSAGES = """
INSERT INTO studies_message (participant_id, is_from_team, author_id, text, session_reference, page,
  prompt_label,
                             sent_at)
SELECT person.id, turn = 2, person.user_id, 'May I use a calculator?', '', '', '', %(now)s
FROM studies_participant person CROSS JOIN generate_series(1, 2) turn
WHERE person.study_id = ANY(%(studies)s) AND person.id %% 10 = 1 AND (turn = 1 OR person.id %% 20 = 1)
ORDER BY turn
"""
FLAGS = """
WITH flagged AS (
  INSERT INTO scoring_participantflag (participant_id, rules_version, reason, evidence, flagged_at)
  SELECT person.id, 'offtask-1', 'mostly_off_task', '12 of 20 answers', %(now)s
  FROM studies_participant person JOIN batches_session session ON session.participant_id = person.id
  WHERE person.study_id = ANY(%(studies)s) AND session.status IN ('submitted', 'expired')
    AND person.id %% 25 IN (1, 2)
  RETURNING participant_id
), answers AS (
  INSERT INTO scoring_answerflag (answer_id, rules_version, reason, evidence, flagged_at)
  SELECT answer.id, 'offtask-1', 'minimal_content', '3 words', %(now)s
  FROM flagged JOIN batches_session session ON session.participant_id = flagged.participant_id
  JOIN batches_answer answer ON answer.session_id = session.id AND answer.position <= 12
)
INSERT INTO scoring_verdict (participant_id, rules_version, decision, reason, reason_code, decided_by_id,
  decided_at, reading,
                             leaves_open)
SELECT participant_id, 'offtask-1', CASE WHEN participant_id %% 2 = 0 THEN 'confirm' ELSE 'overturn' END,
       'Read five answers.', '', %(actor)s, %(now)s, 'first', 'nothing'
FROM flagged WHERE participant_id %% 4 <> 0
"""
SCREENINGS = """
INSERT INTO screening_screeningrun (study_id, rules_version, participants, flagged_answers,
  flagged_people, ran_at)
SELECT id, 'offtask-1', 1, 1, 1, %(now)s FROM studies_study WHERE id = ANY(%(studies)s)
"""
RULES = """
INSERT INTO batches_paymentrule (study_id, currency, flat, hourly, hours_cap, bonus, bonus_answers,
  pays_withdrawn,
                                 set_at)
SELECT id, 'EUR', 10, 12.5, 5, 0.75, 1, true, %(now)s FROM studies_study WHERE id = ANY(%(studies)s)
"""
PAYMENTS = """
INSERT INTO batches_paymentreport (participant_id, state, amount, currency, note, reported_by_id,
  reported_at)
SELECT person.id, CASE WHEN person.id %% 3 = 0 THEN 'ordered' ELSE 'paid' END, 60, 'EUR', '', %(actor)s,
  %(now)s
FROM studies_participant person JOIN batches_session session ON session.participant_id = person.id
WHERE person.study_id = ANY(%(studies)s) AND session.status = 'submitted' AND person.id %% 2 = 0
"""
JOBS = """
INSERT INTO jobs_job (id, kind, study_id, arguments, only_one, state, done, total, phase, starts, result,
  error,
                      created_at, started_at, moved_at, finished_at)
SELECT gen_random_uuid(), kind, study.id, '{}', '', 'done', 10, 10, '', 1, '{}', '', %(now)s, %(now)s,
  %(now)s, %(now)s
FROM studies_study study, unnest(ARRAY['screening', 'results', 'report']) kind, generate_series(1, 10)
WHERE study.id = ANY(%(studies)s)
"""
# Every ended answer of the large study asked in one call and scored; one call in 200 has no price.
CALLS = """
INSERT INTO scoring_judgecall (uid, judging_run_id, run_id, answer_id, request_sha256, mark,
  judge_protocol_sha256,
                               model, raw_reply, prompt_tokens, completion_tokens, cost, latency_ms,
                               outcome,
                               called_at)
SELECT gen_random_uuid(), %(judging)s, %(run)s, answer.id, repeat('0', 64), '', repeat('0', 64), 'judge',
  '{}', 900,
       120, CASE WHEN answer.id %% 200 <> 0 THEN 0.00153 END, 800, 'ok', %(now)s
FROM batches_answer answer
JOIN batches_session session ON session.id = answer.session_id
JOIN studies_participant person ON person.id = session.participant_id
WHERE person.study_id = %(large)s AND answer.has_text AND session.status <> 'active'
"""
CRITERIA = """
INSERT INTO scoring_criterionscore (judging_run_id, run_id, answer_id, revision, request_sha256, place,
                                    has_followers, available_at, starts, rounds, state, origin, score,
                                    confidence,
                                    explanation, unscored_reason, decided_at)
SELECT judging_run_id, run_id, answer_id, 1, '', 0, false, %(now)s, 1, 1, 'scored', 'asked',
       (answer_id %% 3 > 0)::int, CASE WHEN answer_id %% 33 = 0 THEN 0.9 ELSE 1 END, '', '', %(now)s
FROM scoring_judgecall WHERE run_id = %(run)s
"""
SCORES = """
INSERT INTO scoring_answerscore (run_id, answer_id, revision, score, unscored_reason, judged_at)
SELECT run_id, answer_id, 1, score * confidence, '',
  decided_at FROM scoring_criterionscore WHERE run_id = %(run)s
"""
AUDITED = """
INSERT INTO scoring_audititem (sample_id, number, row_id, stratum, human_score, comment, rater, rated_at)
SELECT %(sample)s, row_number() OVER (ORDER BY row.id), row.id, 'all',
  CASE WHEN row.id %% 2 = 0 THEN 1 END, '',
       CASE WHEN row.id %% 2 = 0 THEN 'A' ELSE '' END,
       CASE WHEN row.id %% 2 = 0 THEN %(now)s::timestamptz END
FROM (SELECT id FROM scoring_criterionscore WHERE run_id = %(run)s ORDER BY id LIMIT 400) row
"""
# The numbers of the measured study; those of one person once for each person who finished.
MEASURES = """
INSERT INTO scoring_measurerow (results_id, may_leave, scope, block, name, "group", subset, participant,
  prompt_id,
                                value, se, low, high, reason, n, people, prompts, clusters, details)
SELECT %(results)s, may_leave, scope, block, name, "group", subset, %(name)s, prompt_id, value, se, low,
  high,
       reason, n, people, prompts, clusters, details
FROM scoring_measurerow pattern
"""
OF_ALL = MEASURES % {"results": "%(results)s", "name": "''"} + (
    "WHERE pattern.results_id = %(pattern)s AND pattern.participant = ''"
)
OF_PEOPLE = MEASURES % {"results": "%(results)s", "name": "person.code"} + (
    """
JOIN (SELECT min(participant) AS code FROM scoring_measurerow WHERE results_id = %(pattern)s AND
  participant <> '')
  first ON first.code = pattern.participant
CROSS JOIN (
  SELECT person.code FROM studies_participant person
  JOIN batches_session session ON session.participant_id = person.id
  WHERE person.study_id = %(large)s AND session.status IN ('submitted', 'expired') AND NOT person.is_test
) person
WHERE pattern.results_id = %(pattern)s
"""
)

OF_EVERYBODY = (
    SESSIONS, ANSWERS, REVISIONS, EVENTS, TRAIL, FORMS, CONSENTS, INVITATIONS, MAILS, MESSAGES, FLAGS,
    SCREENINGS,
    RULES, PAYMENTS, JOBS,
)  # fmt: skip
OF_THE_JUDGED = (CALLS, CRITERIA, SCORES, AUDITED, OF_ALL, OF_PEOPLE)
# People who answered when the site was made still do when it is used again.
STILL_AT_WORK = """
UPDATE batches_session SET started_at = started_at + late.by, deadline_at = deadline_at + late.by
FROM (SELECT %(now)s::timestamptz - max(started_at) AS by FROM batches_session WHERE status = 'active') late
WHERE status = 'active'
"""
