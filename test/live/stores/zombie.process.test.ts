/**
 * @module
 * The zombie on the stores that answer fast: SQLite and Redis.
 */

import { testZombies } from './zombies.ts';

testZombies(
  [
    ['db-lease', 'sqlite'],
    ['lease-local', 'redis'],
  ],
  25,
);
