'use strict';

const figures = [ 'cpu', 'perSecond', 'p50', 'p99', 'clientCpuShare' ];

/** Medians over the rounds; ratios are medians of the ratios within a round. */
function summarise(rows, measured) {
  return rows.map(({ name, of }) => {
    const runs = measured.map(round => round[name]);
    const medians = Object.fromEntries(figures.map(figure => [ figure, median(runs.map(run => run[figure])) ]));
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

/** The median of the ratios of each round; NaN for rows that were not measured. */
function ratio(measured, name, of, figure) {
  return median(measured.map(round => (round[name]?.[figure] ?? Number.NaN) / (round[of]?.[figure] ?? Number.NaN)));
}

/** The median of the differences of each round. */
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

module.exports = { difference, median, printTable, ratio, summarise };
