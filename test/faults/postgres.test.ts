import { describeOnBoth } from '../support/postgres';
import { describeKills } from './describeKills';

describeOnBoth('A server with everything in PostgreSQL and Redis, killed at any step', (): void => {
  describeKills('PostgreSQL');
});
