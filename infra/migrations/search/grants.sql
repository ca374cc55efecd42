-- Grants EXECUTE on all functions with these names, because the previous release's code calls those with other arguments.
do $$
declare
  each record;
begin
  for each in
    select p.oid::regprocedure as function, roles
    from (values
      ('cuecard_search, cuecard_mcp, cuecard_platforms, cuecard_dashboard', array['answers', 'at_least', 'bits_of', 'candidates',
        'chunks_with_words', 'concatenated', 'distance', 'documents_in_revision', 'is_valid', 'likeness', 'lists_of_terms',
        'metadata_of_chunk', 'nearest_chunks', 'occurrences', 'positions', 'reached', 'scored_chunks', 'served_chunks', 'served_terms',
        'sums', 'weighed_terms', 'with_earlier_turns', 'with_offsets', 'with_stored_vectors']),
      ('cuecard_agents, cuecard_chunks, cuecard_crawler, cuecard_dashboard, cuecard_documents, cuecard_embedding, cuecard_questions',
        array['answers_after']),
      ('cuecard_embedding', array['switch_model']),
      ('cuecard_sweeper', array['agents_to_cluster', 'agents_to_list', 'cluster_chunks', 'list_chunks'])) granted(roles, names)
    join pg_proc p on p.proname = any (names)
    where p.pronamespace = 'public'::regnamespace
  loop
    execute format('grant execute on function %s to %s', each.function, each.roles);
  end loop;
end $$;
