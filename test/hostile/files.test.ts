import { describeHostile } from './describeHostile';

describeHostile([{ storage: 'files', accessControl: 'WAC' }, { storage: 'files', accessControl: 'ACP' }]);
