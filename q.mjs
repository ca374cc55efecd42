import pg from 'pg'
const u='postgres://postgres:postgres@127.0.0.1:5418/'
const c=new pg.Client(u+'postgres'); await c.connect()
const {rows}=await c.query("select datname from pg_database where datname not like 'template%'"); 
for (const {datname} of rows) { try { const d=new pg.Client(u+datname); await d.connect(); const r=await d.query("select (select count(*) from organizations) o, (select count(*) from agents) a"); console.log(datname, r.rows[0]); await d.end() } catch(e){console.log(datname, e.message)} }
await c.end()
