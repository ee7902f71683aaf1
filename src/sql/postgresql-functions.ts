// Which functions of PostgreSQL are known to change nothing? Never one that runs SQL out of a text, waits, signals, numbers, locks, makes a
// value of a type that it is told by name, or reaches files or other servers.
import { wordsOf } from "./judge.ts";

/** Names in pg_catalog, as the parser has them (`extract` and `position` are functions to it). */
export const POSTGRESQL_FUNCTIONS = wordsOf(`
  abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd cosh cot cotd degrees div erf erfc exp factorial
  floor gcd lcm ln log log10 min_scale mod pi power pow radians random random_normal round scale sign sin sind sinh sqrt tan tand tanh trim_scale
  trunc width_bucket

  ascii bit_length btrim char_length character_length chr concat concat_ws format initcap left length like_escape lower lpad ltrim md5 normalize
  is_normalized octet_length overlay parse_ident position quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like
  regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim
  similar_to_escape similar_escape split_part starts_with string_to_array string_to_table strpos substr substring to_ascii to_hex to_bin to_oct
  translate unistr upper casefold bit_count encode decode convert convert_from convert_to get_bit get_byte set_bit set_byte crc32 crc32c sha224
  sha256 sha384 sha512 text varchar bpchar

  to_char to_date to_number to_timestamp age clock_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite justify_days
  justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
  statement_timestamp timeofday timezone transaction_timestamp date time timestamp timestamptz interval

  array_agg avg bit_and bit_or bit_xor bool_and bool_or any_value corr count covar_pop covar_samp every json_agg json_agg_strict
  json_object_agg json_object_agg_unique json_object_agg_strict jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict max min mode
  percentile_cont percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx
  regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance xmlagg

  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number

  array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position array_positions array_prepend array_remove
  array_replace array_reverse array_sample array_shuffle array_sort array_to_string array_upper cardinality trim_array unnest
  generate_series generate_subscripts num_nonnulls num_nulls isempty lower_inc lower_inf upper_inc upper_inf multirange range_merge

  array_to_json json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
  json_extract_path json_extract_path_text json_object json_object_keys json_strip_nulls json_to_record json_to_recordset json_typeof
  jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text
  jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
  jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz
  jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json
  to_json to_jsonb

  array_to_tsvector get_current_ts_config numnode phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector ts_headline
  ts_rank ts_rank_cd tsquery_phrase tsvector_to_array websearch_to_tsquery

  abbrev broadcast family host hostmask inet_merge inet_same_family masklen netmask network set_masklen area box center circle diagonal diameter
  height isclosed isopen npoints pclose point polygon popen radius slope width

  xmlcomment xmlexists xpath xpath_exists xml_is_well_formed gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version

  col_description current_database current_query current_schema current_schemas current_setting current_user
  format_type has_any_column_privilege has_column_privilege has_database_privilege has_function_privilege has_schema_privilege
  has_sequence_privilege has_table_privilege inet_client_addr inet_server_addr inet_server_port obj_description pg_backend_pid pg_column_size
  pg_conf_load_time pg_database_size pg_encoding_to_char pg_function_is_visible pg_get_constraintdef pg_get_expr pg_get_functiondef
  pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_result pg_get_indexdef pg_get_partkeydef pg_get_ruledef
  pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_has_role pg_index_column_has_property pg_indexes_size
  pg_is_in_recovery pg_my_temp_schema pg_partition_ancestors pg_partition_root pg_partition_tree pg_postmaster_start_time
  pg_relation_size pg_size_bytes pg_size_pretty pg_table_is_visible pg_table_size pg_tablespace_size pg_total_relation_size pg_type_is_visible
  pg_typeof pg_collation_for session_user shobj_description to_regclass to_regnamespace to_regproc to_regprocedure to_regrole
  to_regtype version
`);
