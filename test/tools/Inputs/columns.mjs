// Reads a Parquet or Arrow file with someone else's reader and prints one JSON object per row.
// Usage: node columns.mjs duckdb|hyparquet|arrow FILE ["SQL with FILE as the table t"]
//
// Numbers have all their digits, and times are nanoseconds. The packages are in ADA_NODE_MODULES.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {pathToFileURL} from 'node:url'

const modules = process.env.ADA_NODE_MODULES
const require = createRequire(pathToFileURL(`${modules}/x`))
const [reader, file, sql] = process.argv.slice(2)
const bytes = () => {
  const read = readFileSync(file)
  return read.buffer.slice(read.byteOffset, read.byteOffset + read.byteLength)
}

async function* duckdb() {
  const {DuckDBInstance, TIMESTAMP_NS} = require('@duckdb/node-api')
  const connection = await (await DuckDBInstance.create()).connect()
  await connection.run(`CREATE VIEW t AS SELECT * FROM read_parquet('${file}')`)
  const result = await connection.streamAndReadAll(sql ?? 'SELECT * FROM t')
  const names = result.columnNames()
  for (const row of result.getRows())
    yield Object.fromEntries(names.map((name, i) => [name, row[i]?.nanos ?? row[i]]))
}

async function* hyparquet() {
  const load = path => import(pathToFileURL(`${modules}/${path}`))
  const {DEFAULT_PARSERS} = await load('hyparquet/src/convert.js')
  const {parquetReadObjects} = await load('hyparquet/src/index.js')
  const {compressors} = await load('hyparquet-compressors/src/index.js')
  yield* await parquetReadObjects({file: bytes(), compressors, parsers: {...DEFAULT_PARSERS, timestampFromNanoseconds: ns => ns}})
}

async function* arrow() {
  const {RecordBatchReader} = require('apache-arrow')
  for (const batch of await RecordBatchReader.from(readFileSync(file))) {
    const columns = batch.schema.fields.map(field => [field.name, batch.getChild(field.name)])
    for (let row = 0; row < batch.numRows; ++row)
      yield Object.fromEntries(columns.map(([name, column]) =>
        // The reader's own value of a time is a floating-point number of milliseconds.
        [name, name !== 'ts' || column.get(row) === null ? column.get(row) : column.data[0].values[row]]))
  }
}

let text = ''
for await (const row of {duckdb, hyparquet, arrow}[reader]())
  text += `{${Object.entries(row).map(([name, value]) => JSON.stringify(name) + ':' +
    (typeof value === 'bigint' ? value : JSON.stringify(value))).join(',')}}\n`
process.stdout.write(text)
