// Earns an identity with 12 zero bits, and verifies its claim as a network would.
import { verify } from 'usurp/identity';
import { mine } from 'usurp/mining';

const { claims, ledger } = await mine({ c1: 12, attempts: 1e6, seed: '7' });
const [claim] = claims;
console.log(`${claim.nodeId} took ${ledger.attempts} attempts`);
console.log('admitted for 12 bits:', verify(claim, { c1: 12 }).admitted);
console.log('admitted for 20 bits:', verify(claim, { c1: 20 }).refusal ?? 'yes');
