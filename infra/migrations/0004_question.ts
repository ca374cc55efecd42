import { inTransaction } from './steps.ts'

/**
 * A question to `search` is one argument, which its callers write as JSON: what it lacks is null. The functions that took its parts stay
 * for code of the release before.
 */
export const steps = [
  inTransaction(`
    -- One hypothesis of what was asked: its vector, or the key under which that is or will be stored, and the vector's sketch.
    create type asked_vector as (key bytea, vector halfvec, high bit(1536), middle bit(1536), low bit(1536), scale float8);
    -- A term of a way of a group of words; the numbers of hypotheses count from 1, those of groups, ways and slots from 0.
    create type asked_term as (
      hypothesis integer, grp integer, way integer, slot integer, weight float8, is_fallback boolean, is_required boolean);
    -- What it counts among an agent's chunks.
    create type weighed_term as (
      hypothesis integer, grp integer, way integer, slot integer, worth float8, is_code boolean, is_usable boolean, group_is_known boolean,
      share_of_group float8);
    create type question as (
      mode text,
      organization uuid,
      agent uuid,
      asked_model text, -- made the vectors, null if that is not known
      assumed_model text, -- serves an agent that names none
      documents uuid[], -- only these are searched, unless it is null
      metadata jsonb, -- what a chunk's metadata must contain
      document_metadata jsonb,
      as_of timestamptz, -- when documents must be valid, now if null
      hit_limit integer,
      max_bytes bigint, -- of the hits as JSON
      vectors asked_vector[],
      terms asked_term[],
      keys_of_slots integer[], -- the terms' keys in \`sparsevec\`
      probes sparsevec[], -- see \`occurrences\`
      keyword_weight float8);`),
]
