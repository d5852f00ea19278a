'use strict';

const figures = [ 'cpu', 'perSecond', 'p50', 'p99', 'clientCpuShare', 'databaseCpu', 'redisCpu', 'statements', 'commands' ];

/** Computes medians over the rounds. Ratios are medians of the ratios within a round. */
function summarise(rows, measured) {
  return rows.map(({ name, of }) => {
    const runs = measured.map(round => round[name]);
    const medians = Object.fromEntries(figures.map(figure => [ figure, median(runs.map(run => run[figure] ?? Number.NaN)) ]));
    return {
      name,
      ...medians,
      cpuOfStock: ratio(measured, name, 'stock-get', 'cpu'),
      cpuOfLimit: ratio(measured, name, 'limit', 'cpu'),
      ...of && measured[0][of] && { of, cpuOfOther: ratio(measured, name, of, 'cpu') },
      throughputOfStock: ratio(measured, name, 'stock-get', 'perSecond'),
    };
  });
}

/** Computes the median of the ratios of each round; NaN for rows that were not measured. */
function ratio(measured, name, of, figure) {
  return median(measured.map(round => (round[name]?.[figure] ?? Number.NaN) / (round[of]?.[figure] ?? Number.NaN)));
}

/** Computes the median of the differences of each round. */
function difference(measured, name, of, figure) {
  return median(measured.map(round => round[name][figure] - round[of][figure]));
}

function median(values) {
  const sorted = [ ...values ].sort((left, right) => left - right);
  const middle = sorted.length / 2;
  return Number.isInteger(middle) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[Math.floor(middle)];
}

function printTable(summary) {
  console.log([
    '| row | CPU ms/request | CPU of stock GET | CPU of bare limit | requests/s | of stock GET | p50 ms | p99 ms | client core | CPU of another row |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...summary.map(row => `| ${[
      row.name,
      row.cpu.toFixed(3),
      row.cpuOfStock.toFixed(4),
      row.cpuOfLimit.toFixed(2),
      row.perSecond.toFixed(0),
      `${row.throughputOfStock.toFixed(1)}x`,
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      `${(row.clientCpuShare * 100).toFixed(0)} %`,
      row.of ? `${row.cpuOfOther.toFixed(2)} of ${row.of}` : '',
    ].join(' | ')} |`),
  ].join('\n'));
}

/**
 * Prints the cost of requests on PostgreSQL and Redis.
 *
 * @param summary - From {@link summarise}.
 * @param texts - Statements of each row's last run.
 */
function printDatabases(summary, texts) {
  console.log([
    '',
    '| row | server CPU ms | PostgreSQL CPU ms | Redis CPU ms | statements | Redis commands |',
    '|---|---|---|---|---|---|',
    ...summary.filter(({ statements }) => statements >= 0).map(row => `| ${[
      row.name,
      ...[ row.cpu, row.databaseCpu, row.redisCpu ].map(ms => ms.toFixed(3)),
      row.statements.toFixed(2),
      row.commands.toFixed(2),
    ].join(' | ')} |`),
  ].join('\n'));
  for (const [ name, statements ] of Object.entries(texts)) {
    console.log(`\n${name}\n${statements.filter(({ each }) => each >= 0.01).map(({ each, text }) =>
      `${each.toFixed(2).padStart(8)}  ${text.replaceAll(/\s+/gu, ' ')}`).join('\n')}`);
  }
}

module.exports = { difference, median, printDatabases, printTable, ratio, summarise };
