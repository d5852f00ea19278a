import { describeKills } from './describeKills';

describe('A server with its records in SQLite, killed at any step', (): void => {
  describeKills('SQLite');
});
