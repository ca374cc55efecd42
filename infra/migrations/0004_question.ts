import { inTransaction } from './steps.ts'

/**
 * A question to `search` is one argument, which its callers write as JSON. Missing parts are null. Functions with an argument for each
 * part stay for the previous release's code.
 */
export const steps = [
  inTransaction(`
    -- A hypothesis about the question: its vector, or the key under which the vector is or will be stored, and the vector's sketch.
    create type asked_vector as (key bytea, vector halfvec, high bit(1536), middle bit(1536), low bit(1536), scale float8);
    -- A term of a group of words, in one of its ways. Hypotheses count from 1; groups, ways and slots count from 0.
    create type asked_term as (
      hypothesis integer, grp integer, way integer, slot integer, weight float8, is_fallback boolean, is_required boolean);
    -- A term's weight among an agent's chunks.
    create type weighed_term as (
      hypothesis integer, grp integer, way integer, slot integer, worth float8, is_code boolean, is_usable boolean, group_is_known boolean,
      share_of_group float8);
    create type question as (
      mode text,
      organization uuid,
      agent uuid,
      asked_model text, -- the model of the vectors, null if unknown
      assumed_model text, -- the model of an agent that names none
      documents uuid[], -- searches only these; null for all
      metadata jsonb, -- a chunk's metadata must contain this
      document_metadata jsonb,
      as_of timestamptz, -- documents must be valid then; null for now
      hit_limit integer,
      max_bytes bigint, -- the largest size of the hits as JSON
      vectors asked_vector[],
      terms asked_term[],
      keys_of_slots integer[], -- the terms' keys in \`sparsevec\`
      probes sparsevec[], -- see \`occurrences\`
      keyword_weight float8);`),
]
