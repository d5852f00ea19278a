import { join } from 'node:path';
import { makeInstallation } from '../../../support/installation';
import { databaseUrl } from '../../../support/postgres';
import { makeSchema, sqlOf } from '../../../support/recordsSql';
import { all, expectRefused, RefusingInstallation } from './RefusingInstallation';

describe('On PostgreSQL, commands', (): void => {
  let mine: RefusingInstallation;
  let lab: string;

  beforeAll(async(): Promise<void> => {
    mine = await RefusingInstallation.make();
    ({ lab } = mine);
  });

  beforeEach(async(): Promise<void> => mine.copy());

  afterEach(async(): Promise<void> => mine.removeCopy());

  afterAll(async(): Promise<void> => mine.original.remove());

  it('refuse a database without records, and create nothing there or here.', async(): Promise<void> => {
    const schema = await makeSchema(databaseUrl!, `refusals_${process.pid}`);
    const why = /^--records: there are no records/u;
    const names = all.filter((name): boolean => ![ 'backup', 'move' ].includes(name));
    await expectRefused(mine, names, { records: schema.url }, why);
    await expectRefused(mine, [ 'move' ], { records: schema.url }, why, [ '--to', join(lab, 'moved/records.sqlite') ]);
    await schema.drop();
  });

  it('move no pods that do not belong to the records, and create nothing there.', async(): Promise<void> => {
    const schema = await makeSchema(databaseUrl!, `refusals_to_${process.pid}`);
    const other = await makeInstallation([ 'cas' ]);
    await expectRefused(mine, [ 'move' ], { pods: other.pods }, /--rootFilePath/u, [ '--to', schema.url ]);
    const made = await sqlOf(schema.url)('select 1 from pg_tables where schemaname = current_schema()');
    expect(made).toEqual([]);
    await other.remove();
    await schema.drop();
  });
});
