// Checks every schedule of a protocol of your own: `npx usurp new protocol my-ring` writes one.
import { check } from 'usurp/checking';
import { load } from 'usurp/election';

const [protocol] = await load('./my-ring.ts');
const { result, counts, words } = await check({ protocol, nodes: 4 });
console.log(`${result} after ${counts.states} worlds`);
console.log(words.outcome);
