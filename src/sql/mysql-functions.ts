// Which functions of MySQL and MariaDB are known to change nothing? Never one that waits, locks, repeats, numbers, or reaches files.
import { wordsOf } from "./judge.ts";

/** In lower case. Both know them; where only one does, the other refuses the statement. */
export const MYSQL_FUNCTIONS = wordsOf(`
  abs acos asin atan atan2 ceil ceiling conv cos cot crc32 degrees exp floor ln log log10 log2 mod pi pow power radians rand round sign sin sqrt
  tan truncate bit_count greatest least interval

  ascii bin bit_length char char_length character_length concat concat_ws elt export_set field find_in_set format from_base64 hex insert instr
  lcase left length locate lower lpad ltrim make_set mid oct octet_length ord position quote regexp_instr regexp_like regexp_replace
  regexp_substr repeat replace reverse right rpad rtrim soundex space strcmp substr substring substring_index to_base64 trim ucase unhex upper
  weight_string md5 sha sha1 sha2 compress uncompress uncompressed_length inet_aton inet_ntoa inet6_aton inet6_ntoa is_ipv4 is_ipv6 is_uuid
  uuid uuid_to_bin bin_to_uuid

  adddate addtime convert_tz curdate current_date current_time current_timestamp curtime date date_add date_format date_sub datediff day dayname
  dayofmonth dayofweek dayofyear extract from_days from_unixtime get_format hour last_day localtime localtimestamp makedate maketime microsecond
  minute month monthname now period_add period_diff quarter sec_to_time second str_to_date subdate subtime sysdate time time_format time_to_sec
  timediff timestamp timestampadd timestampdiff to_days to_seconds unix_timestamp utc_date utc_time utc_timestamp week weekday weekofyear year
  yearweek

  any_value avg bit_and bit_or bit_xor count group_concat json_arrayagg json_objectagg max min std stddev stddev_pop stddev_samp sum var_pop
  var_samp variance grouping cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number

  coalesce if ifnull isnull nullif cast convert values row

  json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_extract json_insert json_keys json_length
  json_merge_patch json_merge_preserve json_object json_overlaps json_pretty json_quote json_remove json_replace json_schema_valid json_search
  json_set json_storage_size json_type json_unquote json_valid json_value json_query json_exists

  charset coercibility collation connection_id current_role current_user database schema session_user system_user user version format_bytes
  found_rows row_count extractvalue

  st_area st_asgeojson st_astext st_aswkt st_contains st_distance st_distance_sphere st_geomfromtext st_intersects st_latitude st_length
  st_longitude st_srid st_within st_x st_y point
`);
