/**
 * @module
 * For each error code, a request that is refused with it: its method, path and body. If the server does not always refuse this
 * request, the circumstances follow after a comma.
 */

import type { ErrorCode } from '../../src/errors.ts';
import type { RefusalCode } from '../../src/identity/admit.ts';

const DEVICE = 'POST /v1/forgeries {"c1": 8, "device": "gpu"}';
const FILE = 'GET /v1/threat-models/top-id, after an operator has';
const VERIFY = 'POST /v1/identities/verify, with';

/** The example of each code. */
export const PROBLEM_EXAMPLES: Readonly<Record<ErrorCode | RefusalCode, string>> = {
  arguments: 'POST /v1/simulations {"protocol": "bully-oneshot", "nodes": 5, "crash": ["9"]}',
  document: 'POST /v1/runs {"threatModel": {"id": "grinder"}}',
  schema: 'POST /v1/simulations {"protocol": "bully-oneshot", "nodes": "many"}',
  'json.syntax': 'POST /v1/simulations {"protocol": "bully-oneshot",}',
  'json.duplicate_key': 'POST /v1/simulations {"protocol": "raft", "nodes": 5, "nodes": 6}',
  'json.encoding': 'POST /v1/simulations, with a body in UTF-16',
  'json.depth': 'POST /v1/simulations, with 100 lists inside each other',
  content_type: 'POST /v1/simulations, with Content-Type: text/plain',
  content_encoding: 'POST /v1/simulations, with Content-Encoding: gzip',
  'body.too_large': 'POST /v1/simulations, with a body of 100 MB',
  host: 'GET /v1/params, with Host: example.org',
  not_found: 'GET /v1/protocols/paxos',
  method_not_allowed: 'DELETE /v1/protocols',
  not_acceptable: 'GET /v1/jobs/ID/results/rows, with Accept: image/png',
  'job.size':
    'POST /v1/runs {"threatModel": "top-id", "set": {"network.election.latency": "uniform:1:1001"}}',
  'job.finished': 'POST /v1/jobs/ID/cancel, after the job has ended',
  'job.unfinished': 'DELETE /v1/jobs/ID, while the job runs',
  'job.failed': 'GET /v1/jobs/ID, after a fault of the server; the problem is a member of the job',
  'job.memory': 'POST /v1/checks, with more worlds than fit into the memory of its thread',
  'job.deadline': 'POST /v1/checks, with more worlds than the time of a job allows',
  'job.interrupted': 'GET /v1/jobs/ID, after the server was stopped while the job ran',
  'limit.queue': 'POST /v1/simulations, while as many jobs wait as the server keeps',
  'limit.elections': 'POST /v1/elections, while the server keeps as many elections as it can',
  'limit.clusters': 'POST /v1/clusters, while as many live nodes run as the operator allows',
  'limit.streams': 'GET /v1/jobs/ID/events, while as many streams are open as the server allows',
  'limit.rate': 'GET /v1/params, after more requests than the operator allows',
  'limit.concurrent':
    'POST /v1/simulations, while as many jobs of the caller are under way as it may have',
  'limit.cpu': 'POST /v1/simulations, after the jobs of the caller used up its processor time',
  'limit.connections':
    'GET /v1/jobs/ID/events, while as many streams of the caller are open as it may have',
  'limit.keys':
    'POST /v1/elections, with another Idempotency-Key than the many that are still kept',
  'limit.storage': 'POST /v1/elections, while what the caller keeps is as large as it may be',
  'limit.submissions':
    'POST /v1/exercises/NAME/submissions, after more submissions than the exercise allows',
  'check.address': 'POST /v1/checks/worlds {"protocol": "bully-oneshot", "address": [99]}',
  'claim.refused': 'POST /v1/elections/ID/nodes, with a claim that the policy does not admit',
  'id.exists': 'POST /v1/elections/ID/nodes, with a claim that has been admitted before',
  'election.closed': 'POST /v1/elections/ID/nodes, after an election without newcomers has begun',
  'election.restoring': 'GET /v1/elections/ID, while the server restores it after a restart',
  'election.damaged':
    'GET /v1/elections/ID, after its records in the file of the server were changed',
  'sweep.damaged': 'GET /v1/jobs/ID/results/rows, after the table of the sweep was changed',
  'election.conflict':
    'POST /v1/elections/ID/actions {"type": "start"}, after the nodes have started',
  'cluster.conflict':
    'POST /v1/clusters/ID/actions {"type": "kill", "node": 1}, after node 1 was killed',
  'class.conflict': 'POST /v1/class/decisions/NUMBER/undo, after the decision was undone',
  'exercise.closed': 'POST /v1/attacks, by a student whose exercise is to find the attack',
  'exercise.attempts': 'POST /v1/exercises/NAME/submissions, after the last submission that counts',
  'exercise.budget': 'POST /v1/forgeries, with more attempts than the exercise leaves',
  'exercise.over': 'POST /v1/exercises/NAME/submissions, after the deadline',
  'exercise.not_started': 'POST /v1/exercises/NAME/submissions, before the exercise was started',
  'auth.node': 'GET /v1/elections/ID/nodes/NODE/inbox, without Node-Token',
  'message.signature': 'POST /v1/elections/ID/nodes/NODE/outbox, with a signature of another text',
  'message.equivocation':
    'POST /v1/elections/ID/nodes/NODE/outbox, with the number of an earlier message',
  'storage.unavailable': 'POST /v1/elections, while the disk of the server is full',
  'server.unready': 'POST /v1/elections, while the server starts or stops',
  'auth.credential': 'GET /v1/class, without a token',
  'auth.role': 'GET /v1/class/progress, with the token of a student',
  'auth.access': 'DELETE /v1/elections/ID, with the token of a participant who does not own it',
  'auth.origin': 'POST /v1/elections, with Origin: https://example.org',
  'name.taken': 'POST /v1/sessions, with a name that another student has',
  'idempotency.mismatch': 'POST /v1/elections, with the Idempotency-Key of another body',
  'idempotency.lost':
    'POST /v1/elections, with the Idempotency-Key of a request during whose answer the server stopped',
  'device.missing': `${DEVICE}, where the server has no graphics device`,
  'device.failed': `${DEVICE}, where the driver of the device computes wrong hashes`,
  'file.missing': `${FILE} deleted a file of the server`,
  'file.unreadable': `${FILE} taken away the right to read a file of the server`,
  'file.exists': `${FILE} put a file where the server makes a folder`,
  'file.unwritable':
    'POST /v1/sweeps, after an operator has taken away the right to write the folder of sweeps',
  internal: 'GET /v1/params, where the server has a fault of its own',
  'id.mismatch': `${VERIFY} a node ID that is not the hash of the public key`,
  'pow.insufficient': `${VERIFY} a policy of more zero bits than the ID has`,
  'key.encoding': `${VERIFY} a key whose y is not below p`,
  'key.small_order': `${VERIFY} the key that stands for the neutral element`,
  'key.not_torsion_free': `${VERIFY} the sum of a key and a point of order 8`,
  'signature.invalid': `${VERIFY} a signature of another challenge`,
};
