import { attack } from './attack.js';

export const solve = (client) => attack(client, { candidate: 8 });
