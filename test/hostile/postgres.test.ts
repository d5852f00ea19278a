import { describeOnBoth } from '../support/postgres';
import { describeHostile } from './describeHostile';

describeOnBoth('With PostgreSQL and Redis,', (): void => {
  describeHostile([{ storage: 'PostgreSQL', accessControl: 'WAC' }, { storage: 'PostgreSQL', accessControl: 'ACP' }]);
});
