// Holds an election of five nodes whose highest node is down.
import { elect } from 'usurp/simulation';

const election = { protocol: 'bully-oneshot', nodes: 5, crash: ['highest'], seed: '1' };
const { leader, messages, verdict } = await elect(election);
console.log(`node ${leader?.rank} leads after ${messages.total} messages`);
console.log(`${verdict.value}: ${verdict.reason}`);
