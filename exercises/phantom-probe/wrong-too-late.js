import { attack } from './attack.js';

/** Sends the phantom when the nodes have elected a leader. */
export const solve = (client) => attack(client, { candidate: 8, startsFirst: true });
